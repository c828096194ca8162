import { z } from 'zod'
import { PASSWORD_MAX_CHARS } from '#contract/limits.ts'
import type { AppliedCode } from '../core/codes.ts'
import type { LookupResult } from '../core/look-up.ts'
import type { ProfileResult } from '../core/profile.ts'
import type { Session } from '../core/sessions.ts'
import type { SignInResult } from '../core/sign-in.ts'
import { isCustomPolicy, SPECIAL_CHARACTERS } from '../credentials/policy.ts'
import type { Ticket } from '../oidc/login.ts'
import type { PasswordPolicy, Requirement } from '../credentials/policy.ts'
import type { IdentityUser } from '../store/users.ts'
import { describeRequirement } from './errors.ts'

// Request bodies. Fields are optional because a missing one has its own error; unknown fields are ignored, as
// at Google.

/** Longer than the policy allows, so that the policy refuses it. */
const password = z.string().max(4 * PASSWORD_MAX_CHARS)
const address = z.string().max(1024)
const printable = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .regex(/^\P{Cc}*$/u)
/** Empty text removes the value, as `null` does. */
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
  // Refused rather than ignored.
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
/** Google's `OobReqType` by number, as the Android SDK sends it. */
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
export const CustomTokenBody = z.object({ token: z.string().max(256).optional() })
export const OidcBeginBody = z.object({
  provider: z.string().max(64),
  returnTo: z
    .string()
    .max(2000)
    .regex(/^\/dashboard\//)
    .nullable()
    .default(null),
  invitation: z.string().max(100).nullable().default(null),
  timezone: z.string().max(64).nullable().default(null),
})
export const OidcFinishBody = z.object({})
const refreshTokenField = z.string().max(1024).optional()
/** The web SDK uses OAuth names, those for Android and iOS protobuf JSON names. */
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

// Responses. 64-bit integers are strings: numbers would sign users out at the next page load.

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

export const customTokenReply = ({ idToken, refreshToken, expiresInS }: Session) => ({
  kind: 'identitytoolkit#VerifyCustomTokenResponse',
  idToken,
  refreshToken,
  expiresIn: String(expiresInS),
})

/** What the page needs of a log-in through a provider; `findName` of a provider by its id. */
export function oidcReply(ticket: Ticket | null, findName: (id: string) => string | null) {
  switch (ticket?.step) {
    case 'proven':
      return { result: 'proven', token: ticket.token, returnTo: ticket.returnTo }
    case 'to_confirm':
      return {
        result: 'to_confirm',
        provider: findName(ticket.provider),
        email: ticket.email,
        returnTo: ticket.returnTo,
      }
    case 'refused':
      return { result: 'refused', provider: ticket.provider, reason: ticket.reason }
    case 'begun':
    case undefined:
      return { result: 'refused', provider: null, reason: 'attempt_over' }
  }
}

export const appliedReply = ({ user, newEmail }: AppliedCode) => ({
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

export const signInReply = (signedIn: SignInResult) => ({
  ...sessionReply('identitytoolkit#VerifyPasswordResponse', signedIn),
  ...(signedIn.unmet.length > 0 && { userNotifications: signedIn.unmet.map(toNotification) }),
})

const toNotification = (requirement: Requirement) => ({
  notificationCode: NOTIFICATIONS[requirement.kind],
  notificationMessage: describeRequirement(requirement),
})

const NOTIFICATIONS: Record<Requirement['kind'], string> = {
  min_length: 'MINIMUM_PASSWORD_LENGTH',
  max_length: 'MAXIMUM_PASSWORD_LENGTH',
  lowercase: 'MISSING_LOWERCASE_CHARACTER',
  uppercase: 'MISSING_UPPERCASE_CHARACTER',
  numeric: 'MISSING_NUMERIC_CHARACTER',
  non_alphanumeric: 'MISSING_NON_ALPHANUMERIC_CHARACTER',
}

export const updateReply = ({ user, session }: ProfileResult) => ({
  kind: 'identitytoolkit#SetAccountInfoResponse',
  ...toProfile(user),
  ...(session && {
    idToken: session.idToken,
    refreshToken: session.refreshToken,
    expiresIn: String(session.expiresInS),
  }),
})

/** `hidden`: enumeration protection is on. */
export const authUriReply = (sessionId: string, known: IdentityUser | null | 'hidden') => ({
  kind: 'identitytoolkit#CreateAuthUriResponse',
  sessionId,
  ...(known !== 'hidden' && {
    registered: known !== null,
    allProviders: known ? toProviders(known).map(({ providerId }) => providerId) : [],
    signinMethods: known ? toSignInMethods(known) : [],
  }),
})

const toSignInMethods = (user: IdentityUser): string[] => [
  ...(user.password_hash === null ? [] : ['password']),
  ...(user.email_link ? ['emailLink'] : []),
]

export const lookupReply = ({ user, providers, lastRefreshAt }: LookupResult) => ({
  kind: 'identitytoolkit#GetAccountInfoResponse',
  users: [
    { ...toAccount(user, providers), ...(lastRefreshAt && { lastRefreshAt: lastRefreshAt.toISOString() }) },
  ],
})

const toAccount = (user: IdentityUser, providers: readonly string[]) => ({
  ...toProfile(user),
  providerUserInfo: [...toProviders(user), ...providers.map((id) => toProviderInfo(user, id))],
  ...(user.password_updated_at && { passwordUpdatedAt: user.password_updated_at.getTime() }),
  validSince: String(user.valid_since.getTime() / 1000),
  disabled: user.disabled,
  lastLoginAt: String(user.last_login_at.getTime()),
  createdAt: String(user.created_at.getTime()),
  ...(user.email_link && { emailLinkSignin: true }),
})

const toProfile = (user: IdentityUser) => ({
  localId: user.uid,
  email: user.email,
  emailVerified: user.email_verified,
  ...toNames(user),
  providerUserInfo: toProviders(user),
  ...(user.password_hash !== null && { passwordHash: REDACTED }),
})

const toProviders = (user: IdentityUser) => {
  const { email } = user
  const entry = { providerId: 'password', federatedId: email, rawId: email, email, ...toNames(user) }
  return user.password_hash !== null || user.email_link ? [entry] : []
}

/** As Firebase names them. */
const toProviderInfo = (user: IdentityUser, id: string) => ({
  providerId: `oidc.${id}`,
  federatedId: user.uid,
  rawId: user.uid,
  email: user.email,
  ...toNames(user),
})

const REDACTED = 'UkVEQUNURUQ='

const toNames = (named: Pick<IdentityUser, 'display_name' | 'photo_url'>) => ({
  ...(named.display_name !== null && { displayName: named.display_name }),
  ...(named.photo_url !== null && { photoUrl: named.photo_url }),
})

export const policyReply = (policy: PasswordPolicy) => ({
  customStrengthOptions: {
    minPasswordLength: policy.minLength,
    maxPasswordLength: policy.maxLength,
    // The SDK lists every option that is present: leave out those not required.
    ...(policy.lowercase && { containsLowercaseCharacter: true }),
    ...(policy.uppercase && { containsUppercaseCharacter: true }),
    ...(policy.numeric && { containsNumericCharacter: true }),
    ...(policy.nonAlphanumeric && { containsNonAlphanumericCharacter: true }),
  },
  allowedNonAlphanumericCharacters: SPECIAL_CHARACTERS,
  enforcementState: isCustomPolicy(policy) && policy.enforced ? 'ENFORCE' : 'OFF',
  forceUpgradeOnSignin: policy.upgradeOnSignIn,
  schemaVersion: 1,
})

export const recaptchaReply = (projectId: string) => ({
  // The SDK reads the fourth path segment and throws without it.
  recaptchaKey: `projects/${projectId}/keys/off`,
  recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
})
