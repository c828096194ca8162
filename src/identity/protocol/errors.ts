import type { Refusal } from '../core/core.ts'
import { isCustomPolicy, type PasswordPolicy, type Requirement } from '../credentials/policy.ts'

/** Errors in the words of Identity Toolkit; the SDK maps the part before ` : ` to its own code. */
export const ERRORS = {
  signup_closed: 'ADMIN_ONLY_OPERATION',
  not_invited: 'ADMIN_ONLY_OPERATION',
  email_taken: 'EMAIL_EXISTS',
  invalid_email: 'INVALID_EMAIL',
  wrong_login: 'INVALID_LOGIN_CREDENTIALS',
  user_disabled: 'USER_DISABLED',
  too_many_attempts:
    'TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts. You can immediately restore it by resetting your password or you can try again later.',
  too_many_mails: 'RESET_PASSWORD_EXCEED_LIMIT',
  too_many_links: 'TOO_MANY_ATTEMPTS_TRY_LATER : Too many mails were asked for. Try again later.',
  email_not_found: 'EMAIL_NOT_FOUND',
  other_email: 'INVALID_EMAIL : The email provided does not match the sign-in email address.',
  unauthorized_domain: 'UNAUTHORIZED_DOMAIN : The domain of the continue URL is not an authorized one.',
  invalid_id_token: 'INVALID_ID_TOKEN',
  session_over: 'TOKEN_EXPIRED',
  login_too_old: 'CREDENTIAL_TOO_OLD_LOGIN_AGAIN',
  email_change_needs_mail: 'OPERATION_NOT_ALLOWED : Please verify the new email before changing email.',
  no_self_deletion: 'ADMIN_ONLY_OPERATION',
  invalid_identifier: 'INVALID_IDENTIFIER',
  invalid_refresh_token: 'INVALID_REFRESH_TOKEN',
  invalid_code: 'INVALID_OOB_CODE',
  expired_code: 'EXPIRED_OOB_CODE',
  weak_password: 'WEAK_PASSWORD',
  invalid_custom_token: 'INVALID_CUSTOM_TOKEN',
  unknown_provider: 'OPERATION_NOT_ALLOWED : This service does not know this provider.',
  provider_unreachable: 'PROVIDER_UNREACHABLE',

  missing_api_key: 'PERMISSION_DENIED',
  missing_email: 'MISSING_EMAIL',
  missing_password: 'MISSING_PASSWORD',
  missing_identifier: 'MISSING_IDENTIFIER',
  missing_continue_uri: 'MISSING_CONTINUE_URI',
  invalid_continue_uri: 'INVALID_CONTINUE_URI : The continue URL must be an absolute http or https address.',
  missing_id_token: 'MISSING_ID_TOKEN',
  missing_request_type: 'MISSING_REQ_TYPE',
  invalid_request_type: 'INVALID_REQ_TYPE',
  missing_code: 'MISSING_OOB_CODE',
  missing_new_email: 'MISSING_NEW_EMAIL',
  missing_grant_type: 'MISSING_GRANT_TYPE',
  invalid_grant_type: 'INVALID_GRANT_TYPE',
  missing_refresh_token: 'MISSING_REFRESH_TOKEN',
  missing_custom_token: 'MISSING_CUSTOM_TOKEN',
  chosen_uid: 'UNEXPECTED_PARAMETER : User ID',
  no_tenants: 'UNSUPPORTED_TENANT_OPERATION',
  admin_only: 'INSUFFICIENT_PERMISSION',
  unknown_call: 'OPERATION_NOT_ALLOWED : This service does not offer this call.',
  malformed: 'INVALID_ARGUMENT : The request is not one that this call takes.',
} as const satisfies Record<Refusal['refused'], string> & Record<string, string>

export type Refused = Refusal | { readonly refused: Exclude<keyof typeof ERRORS, 'weak_password'> }

export type ErrorBody = {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly errors: readonly {
      message: string
      domain: 'global'
      reason: 'invalid' | 'forbidden'
    }[]
    readonly status?: 'PERMISSION_DENIED'
  }
}

export function errorBody(message: string): ErrorBody {
  if (message !== ERRORS.missing_api_key) {
    return { error: { code: 400, message, errors: [{ message, domain: 'global', reason: 'invalid' }] } }
  }
  const text = 'The request is missing a valid API key.'
  const errors = [{ message: text, domain: 'global', reason: 'forbidden' } as const]
  return { error: { code: 403, message: text, errors, status: ERRORS.missing_api_key } }
}

/** As at Firebase: a short password without custom policy is weak; other requirements make the SDK reload the policy. */
export function weakPassword(policy: PasswordPolicy, unmet: readonly Requirement[]): string {
  const [first] = unmet
  if (!(isCustomPolicy(policy) && policy.enforced) && first?.kind === 'min_length') {
    return `${ERRORS.weak_password} : Password should be at least ${first.chars} characters`
  }
  return `PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [${unmet.map(describeRequirement).join(', ')}]`
}

export function describeRequirement(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'min_length':
      return `Password must contain at least ${requirement.chars} characters`
    case 'max_length':
      return `Password may contain at most ${requirement.chars} characters`
    case 'lowercase':
      return 'Password must contain a lower case character'
    case 'uppercase':
      return 'Password must contain an upper case character'
    case 'numeric':
      return 'Password must contain a numeric character'
    case 'non_alphanumeric':
      return 'Password must contain a non-alphanumeric character'
  }
}
