import { z } from 'zod'
import { PASSWORD_MAX_CHARS } from '#contract/limits.ts'
import type { Applied } from '../core/codes.ts'
import type { Looked } from '../core/look-up.ts'
import type { Changed } from '../core/profile.ts'
import type { Session } from '../core/sessions.ts'
import type { SignedIn } from '../core/sign-in.ts'
import { isOwnPolicy, SPECIAL_CHARACTERS } from '../credentials/policy.ts'
import type { PasswordPolicy, Requirement } from '../credentials/policy.ts'
import type { IdentityUser } from '../store/users.ts'
import { sentence } from './errors.ts'

// What the calls take. A missing field has an error of its own in this protocol, so every field is optional here; fields
// that are not named are let through unread, as Google does: SDKs of other versions send more.

/** Longer than any password that the policy lets through, so that the policy is what refuses it. */
const password = z.string().max(4 * PASSWORD_MAX_CHARS)
const address = z.string().max(1024)
const printable = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .regex(/^\P{Cc}*$/u)
/** What a user may be without: empty text takes it away as `null` does. */
const removable = (maxChars: number) =>
  printable(maxChars)
    .nullable()
    .transform((text) => text || null)

export const SignUpBody = z.object({
  email: address.optional(),
  password: password.optional(),
  displayName: printable(256).optional(),
  idToken: z.string().optional(),
  localId: z.string().optional(),
})
export const SignInBody = z.object({ email: address.optional(), password: password.optional() })
export const LookupBody = z.object({ idToken: z.string().optional() })
export const DeleteBody = z.object({ idToken: z.string().optional(), localId: z.string().optional() })
export const UpdateBody = z.object({
  oobCode: z.string().max(256).optional(),
  idToken: z.string().optional(),
  displayName: removable(256).optional(),
  photoUrl: removable(2048).optional(),
  deleteAttribute: z.array(z.enum(['DISPLAY_NAME', 'PHOTO_URL'])).default([]),
  email: address.optional(),
  password: password.optional(),
  // What is refused, rather than ignored.
  localId: z.string().optional(),
  disableUser: z.boolean().optional(),
  emailVerified: z.boolean().optional(),
  validSince: z.union([z.string(), z.number()]).optional(),
  customAttributes: z.string().optional(),
  deleteProvider: z.unknown().optional(),
})
export const AuthUriBody = z.object({
  identifier: address.optional(),
  continueUri: z.string().max(2048).optional(),
})
/** Google's `OobReqType`, by number: the SDK for Android sends that instead of the name. */
const REQUEST_TYPES = [
  '',
  'PASSWORD_RESET',
  'OLD_EMAIL_AGREE',
  'NEW_EMAIL_ACCEPT',
  'VERIFY_EMAIL',
  'RECOVER_EMAIL',
  'EMAIL_SIGNIN',
  'VERIFY_AND_CHANGE_EMAIL',
]

export const SendCodeBody = z.object({
  requestType: z
    .union([z.string(), z.int().transform((number) => REQUEST_TYPES[number] ?? 'unknown')])
    .optional(),
  email: address.optional(),
  idToken: z.string().optional(),
  newEmail: address.optional(),
  continueUrl: z.string().max(2048).optional(),
  canHandleCodeInApp: z.boolean().optional(),
  returnOobLink: z.boolean().optional(),
})
export type SendCodeBody = z.output<typeof SendCodeBody>
export const ResetBody = z.object({
  oobCode: z.string().max(256).optional(),
  newPassword: password.optional(),
})
export const EmailLinkBody = z.object({
  email: address.optional(),
  oobCode: z.string().max(256).optional(),
  idToken: z.string().optional(),
})
const refreshTokenField = z.string().max(1024).optional()
/** The web SDK writes the fields as OAuth does, those for Android and iOS as protocol buffers do in JSON. */
export const TokenBody = z
  .object({
    grant_type: z.string().optional(),
    grantType: z.string().optional(),
    refresh_token: refreshTokenField,
    refreshToken: refreshTokenField,
  })
  .transform((body) => ({
    grantType: body.grant_type || body.grantType,
    refreshToken: body.refresh_token || body.refreshToken,
  }))

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

export const emailLinkReply = ({
  user,
  idToken,
  refreshToken,
  expiresInS,
  isNew,
}: Session & { readonly isNew: boolean }) => ({
  kind: 'identitytoolkit#EmailLinkSigninResponse',
  localId: user.uid,
  email: user.email,
  idToken,
  refreshToken,
  expiresIn: String(expiresInS),
  isNewUser: isNew,
})

export const appliedReply = ({ user, newEmail }: Applied) => ({
  kind: 'identitytoolkit#SetAccountInfoResponse',
  localId: user.uid,
  email: user.email,
  emailVerified: user.email_verified,
  ...(newEmail !== null && { newEmail }),
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

export const signInReply = (signedIn: SignedIn) => ({
  ...sessionReply('identitytoolkit#VerifyPasswordResponse', signedIn),
  ...(signedIn.lacks.length > 0 && { userNotifications: signedIn.lacks.map(notificationOf) }),
})

const notificationOf = (requirement: Requirement) => ({
  notificationCode: NOTIFICATIONS[requirement.kind],
  notificationMessage: sentence(requirement),
})

const NOTIFICATIONS: Record<Requirement['kind'], string> = {
  min_length: 'MINIMUM_PASSWORD_LENGTH',
  max_length: 'MAXIMUM_PASSWORD_LENGTH',
  lowercase: 'MISSING_LOWERCASE_CHARACTER',
  uppercase: 'MISSING_UPPERCASE_CHARACTER',
  numeric: 'MISSING_NUMERIC_CHARACTER',
  non_alphanumeric: 'MISSING_NON_ALPHANUMERIC_CHARACTER',
}

export const updateReply = ({ user, session }: Changed) => ({
  kind: 'identitytoolkit#SetAccountInfoResponse',
  localId: user.uid,
  email: user.email,
  emailVerified: user.email_verified,
  ...nameOf(user),
  providerUserInfo: providersOf(user),
  ...(user.password_hash !== null && { passwordHash: REDACTED }),
  ...(session && {
    idToken: session.idToken,
    refreshToken: session.refreshToken,
    expiresIn: String(session.expiresInS),
  }),
})

/** `known`: who has the address; `hidden`: that is not told. */
export const authUriReply = (sessionId: string, known: IdentityUser | null | 'hidden') => ({
  kind: 'identitytoolkit#CreateAuthUriResponse',
  sessionId,
  ...(known !== 'hidden' && {
    registered: known !== null,
    allProviders: known ? providersOf(known).map(({ providerId }) => providerId) : [],
    signinMethods: known ? methodsOf(known) : [],
  }),
})

const methodsOf = (user: IdentityUser): string[] => [
  ...(user.password_hash === null ? [] : ['password']),
  ...(user.email_link ? ['emailLink'] : []),
]

export const lookupReply = ({ user, lastRefreshAt }: Looked) => ({
  kind: 'identitytoolkit#GetAccountInfoResponse',
  users: [{ ...accountOf(user), ...(lastRefreshAt && { lastRefreshAt: lastRefreshAt.toISOString() }) }],
})

const accountOf = (user: IdentityUser) => ({
  localId: user.uid,
  email: user.email,
  emailVerified: user.email_verified,
  ...nameOf(user),
  providerUserInfo: providersOf(user),
  ...(user.password_hash !== null && { passwordHash: REDACTED }),
  ...(user.password_updated_at && { passwordUpdatedAt: user.password_updated_at.getTime() }),
  validSince: String(user.valid_since.getTime() / 1000),
  disabled: user.disabled,
  lastLoginAt: String(user.last_login_at.getTime()),
  createdAt: String(user.created_at.getTime()),
  ...(user.email_link && { emailLinkSignin: true }),
})

const providersOf = (user: IdentityUser) => {
  const { email } = user
  const entry = { providerId: 'password', federatedId: email, rawId: email, email, ...nameOf(user) }
  return user.password_hash !== null || user.email_link ? [entry] : []
}

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
