import { z } from 'zod'
import { PASSWORD_MAX_CHARS } from '#contract/limits.ts'
import type { Session } from '../core/sessions.ts'
import { isOwnPolicy, SPECIAL_CHARACTERS } from '../policy.ts'
import type { PasswordPolicy } from '../policy.ts'
import type { IdentityUser } from '../store/users.ts'

// What the calls take. A missing field has an error of its own in this protocol, so every field is optional here; fields
// that are not named are let through unread, as Google does: SDKs of other versions send more.

/** Longer than any password that the policy lets through, so that the policy is what refuses it. */
const password = z.string().max(4 * PASSWORD_MAX_CHARS)
const address = z.string().max(1024)
const printable = z
  .string()
  .max(256)
  .regex(/^\P{Cc}*$/u)

export const SignUpBody = z.object({
  email: address.optional(),
  password: password.optional(),
  displayName: printable.optional(),
  idToken: z.string().optional(),
  localId: z.string().optional(),
})
export const SignInBody = z.object({ email: address.optional(), password: password.optional() })
export const LookupBody = z.object({ idToken: z.string().optional() })
export const SendCodeBody = z.object({
  requestType: z.string().optional(),
  email: address.optional(),
  returnOobLink: z.boolean().optional(),
})
export const ResetBody = z.object({
  oobCode: z.string().max(256).optional(),
  newPassword: password.optional(),
})
export const TokenBody = z.object({
  grant_type: z.string().optional(),
  refresh_token: z.string().max(1024).optional(),
})

// What they answer. 64-bit integers are strings: numbers would sign the visitor out at the next page load.

export const sessionReply = (
  kind: 'identitytoolkit#SignupNewUserResponse' | 'identitytoolkit#VerifyPasswordResponse',
  { user, idToken, refreshToken, expiresInS }: Session,
) => ({
  kind,
  localId: user.uid,
  ...(user.email !== null && { email: user.email }),
  displayName: user.display_name ?? '',
  idToken,
  ...(kind === 'identitytoolkit#VerifyPasswordResponse' && { registered: true }),
  refreshToken,
  expiresIn: String(expiresInS),
})

export const tokenReply = ({ user, idToken, refreshToken, expiresInS }: Session, projectId: string) => ({
  access_token: idToken,
  expires_in: String(expiresInS),
  token_type: 'Bearer',
  refresh_token: refreshToken,
  id_token: idToken,
  user_id: user.uid,
  project_id: projectId,
})

export const lookupReply = (user: IdentityUser) => ({
  kind: 'identitytoolkit#GetAccountInfoResponse',
  users: [
    {
      localId: user.uid,
      ...(user.email !== null && { email: user.email }),
      emailVerified: user.email_verified,
      ...nameOf(user),
      providerUserInfo: providersOf(user),
      ...(user.password_hash !== null && { passwordHash: REDACTED }),
      ...(user.password_updated_at && { passwordUpdatedAt: user.password_updated_at.getTime() }),
      validSince: String(user.valid_since.getTime() / 1000),
      disabled: user.disabled,
      lastLoginAt: String(user.last_login_at.getTime()),
      createdAt: String(user.created_at.getTime()),
      ...(user.custom_claims !== null && { customAttributes: JSON.stringify(user.custom_claims) }),
    },
  ],
})

/** Without an entry for the password, or for the mailed link, the SDK takes the user for an anonymous one. */
export const providersOf = (user: IdentityUser) => [
  ...user.federated.map((account) => ({
    providerId: account.provider_id,
    rawId: account.raw_id,
    federatedId: account.raw_id,
    ...(account.email !== null && { email: account.email }),
    ...nameOf(account),
  })),
  ...(user.email !== null && (user.password_hash !== null || user.email_link)
    ? [
        {
          providerId: 'password',
          federatedId: user.email,
          rawId: user.email,
          email: user.email,
          ...nameOf(user),
        },
      ]
    : []),
]

/** "REDACTED" in base64, as Google answers. */
const REDACTED = 'UkVEQUNURUQ='

const nameOf = (named: Pick<IdentityUser, 'display_name' | 'photo_url'>) => ({
  ...(named.display_name !== null && { displayName: named.display_name }),
  ...(named.photo_url !== null && { photoUrl: named.photo_url }),
})

export const policyReply = (policy: PasswordPolicy) => ({
  customStrengthOptions: {
    minPasswordLength: policy.minLength,
    maxPasswordLength: policy.maxLength,
    // The SDK lists a requirement, met or not, for every option that is there, so those not asked for are left out.
    ...(policy.lowercase && { containsLowercaseCharacter: true }),
    ...(policy.uppercase && { containsUppercaseCharacter: true }),
    ...(policy.numeric && { containsNumericCharacter: true }),
    ...(policy.nonAlphanumeric && { containsNonAlphanumericCharacter: true }),
  },
  allowedNonAlphanumericCharacters: SPECIAL_CHARACTERS,
  enforcementState: isOwnPolicy(policy) && policy.enforced ? 'ENFORCE' : 'OFF',
  forceUpgradeOnSignin: policy.upgradeOnSignIn,
  schemaVersion: 1,
})

export const recaptchaReply = (projectId: string) => ({
  // The SDK takes the fourth segment, and throws when there is none.
  recaptchaKey: `projects/${projectId}/keys/off`,
  recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
})
