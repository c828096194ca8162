import { z } from 'zod'
import { PASSWORD_MAX_CHARS } from '#contract/limits.ts'
import type { Session } from './core.ts'
import { asksForCharacters, SPECIAL_CHARACTERS } from './policy.ts'
import type { PasswordPolicy } from './policy.ts'
import type { IdentityUser } from './store.ts'

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
  email: user.email,
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
      email: user.email,
      emailVerified: user.email_verified,
      ...nameOf(user),
      // Without the entry of the password the SDK takes the user for an anonymous one.
      providerUserInfo: [
        {
          providerId: 'password',
          federatedId: user.email,
          rawId: user.email,
          email: user.email,
          ...nameOf(user),
        },
      ],
      passwordHash: REDACTED,
      passwordUpdatedAt: user.password_updated_at.getTime(),
      validSince: String(user.valid_since.getTime() / 1000),
      disabled: user.disabled,
      lastLoginAt: String(user.last_login_at.getTime()),
      createdAt: String(user.created_at.getTime()),
    },
  ],
})

/** "REDACTED" in base64, as Google answers. */
const REDACTED = 'UkVEQUNURUQ='

const nameOf = (user: IdentityUser) => (user.display_name === null ? {} : { displayName: user.display_name })

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
  enforcementState: asksForCharacters(policy) ? 'ENFORCE' : 'OFF',
  forceUpgradeOnSignin: false,
  schemaVersion: 1,
})

export const recaptchaReply = (projectId: string) => ({
  // The SDK takes the fourth segment, and throws when there is none.
  recaptchaKey: `projects/${projectId}/keys/off`,
  recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
})
