import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { UserId } from './ids.ts'
import {
  EMAIL_MAX_CHARS,
  INVITATION_DAYS,
  INVITATIONS_MAX,
  SERVER_USER_POSTS_COUNTED,
  SERVER_USERS_PAGE,
} from './limits.ts'
import { SignUpMode } from './settings.ts'
import { Email } from './users.ts'

const Quota = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER).nullable()

export const ServerUser = z.object({
  user_id: UserId,
  email: z.string(),
  nickname: z.string(),
  operator: z.boolean(),
  created_at: z.iso.datetime(),
  seen_at: z.iso
    .datetime()
    .nullable()
    .describe('The last log-in, or renewal of one. null: unknown, as with a hosted identity provider.'),
  disabled_at: z.iso
    .datetime()
    .nullable()
    .describe('Since when nothing of the user goes out. null: enabled.'),
  held: z
    .int()
    .describe(`Posts to an account that are held since then, counted up to ${SERVER_USER_POSTS_COUNTED}.`),
  used_bytes: z.int(),
  quota_bytes: Quota.describe("The user's own limit. null: that of the server's setting."),
  accounts: z.int(),
  posts: z.int().describe(`Counted up to ${SERVER_USER_POSTS_COUNTED}.`),
})
export type ServerUser = z.infer<typeof ServerUser>

export const Invitation = z.object({
  invitation_id: z.int(),
  email: z.string().nullable().describe('The address that it is for. null: whoever has the link.'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  used_by: z.string().nullable().describe('The address that signed up with it. null: nobody has.'),
})
export type Invitation = z.infer<typeof Invitation>

export const ServerSignUp = z.object({
  mode: SignUpMode,
  fixed: z.boolean().describe('true: the variable SIGNUP decides.'),
  invitations: z.array(Invitation).describe(`The latest first. They go after ${INVITATION_DAYS} days.`),
})
export type ServerSignUp = z.infer<typeof ServerSignUp>

const params = z.object({ userId: UserId })
const common = { tag: 'Server', auth: 'operator' } as const

export const serverUserEndpoints = {
  listServerUsers: endpoint({
    ...common,
    method: 'GET',
    path: '/server/users',
    summary: `List the users of this server by address, ${SERVER_USERS_PAGE} at a time`,
    query: z.object({
      search: z
        .string()
        .trim()
        .max(EMAIL_MAX_CHARS)
        .regex(/^\P{Cc}*$/u)
        .optional()
        .describe('How the address begins.'),
      cursor: z.string().max(1000).optional().describe('The `next_cursor` of the previous page.'),
    }),
    status: 200,
    reply: z.object({
      items: z.array(ServerUser),
      next_cursor: z.string().nullable(),
      default_quota_bytes: Quota.describe('STORAGE_QUOTA. null: there is no limit.'),
    }),
    problems: [],
  }),
  disableUser: endpoint({
    ...common,
    method: 'PUT',
    path: '/server/users/:userId/disabled',
    summary:
      'Disable a user, or enable them again. Disabled, they cannot log in, their sessions and addresses end, and nothing of theirs goes out: posts are held, and after enabling go out or are held as after a pause',
    params,
    body: z.object({ disabled: z.boolean() }),
    status: 200,
    reply: ServerUser,
    problems: ['not_found', 'conflict'],
  }),
  setUserQuota: endpoint({
    ...common,
    method: 'PUT',
    path: '/server/users/:userId/quota',
    summary: 'Set how much a user may store, in place of the setting of the server',
    params,
    body: z.object({ quota_bytes: Quota }),
    status: 200,
    reply: ServerUser,
    problems: ['not_found', 'invalid'],
  }),
  endUserSessions: endpoint({
    ...common,
    method: 'POST',
    path: '/server/users/:userId/end-sessions',
    summary:
      'Log a user out everywhere. Their API keys and the addresses of their calendar feeds, shared reports and videos stop working too',
    params,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'not_offered'],
  }),
  resetUserPassword: endpoint({
    ...common,
    method: 'POST',
    path: '/server/users/:userId/reset-link',
    summary: 'Mail a user a link that sets a new password, or return it where no mail server is set',
    params,
    status: 200,
    reply: z.object({
      link: z
        .string()
        .nullable()
        .describe('null: it was mailed. Else it is shown this once, and works once and within an hour.'),
    }),
    problems: ['not_found', 'not_offered', 'conflict'],
  }),
  deleteServerUser: endpoint({
    ...common,
    method: 'DELETE',
    path: '/server/users/:userId',
    summary:
      'Delete a user with everything that is theirs. Posts that are on their way to a platform may still appear there',
    params,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'conflict'],
  }),
  getServerSignUp: endpoint({
    ...common,
    method: 'GET',
    path: '/server/sign-up',
    summary: 'Get who may sign up, and the invitations',
    status: 200,
    reply: ServerSignUp,
    problems: [],
  }),
  setServerSignUp: endpoint({
    ...common,
    method: 'PUT',
    path: '/server/sign-up',
    summary: 'Choose who may sign up',
    body: z.object({ mode: SignUpMode }),
    status: 200,
    reply: ServerSignUp,
    problems: ['conflict', 'invalid'],
  }),
  createInvitation: endpoint({
    ...common,
    method: 'POST',
    path: '/server/invitations',
    summary: `Make an invitation, which admits one user within ${INVITATION_DAYS} days; up to ${INVITATIONS_MAX} at a time`,
    body: z.object({ email: Email.nullable() }),
    status: 201,
    reply: Invitation.extend({ link: z.string().describe('Shown this once: only a hash of it is kept.') }),
    problems: ['conflict', 'invalid'],
  }),
  revokeInvitation: endpoint({
    ...common,
    method: 'DELETE',
    path: '/server/invitations/:invitationId',
    summary: 'Revoke an invitation',
    params: z.object({ invitationId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) }),
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
} as const
