import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, NotificationId, PostId } from './ids.ts'
import { NOTIFICATIONS_PER_PAGE, POSTS_COUNTED_MAX, UNREAD_COUNTED_MAX } from './limits.ts'

/** What a user is notified of. `missed`: due while the server was not running, and too late to go out by itself. `restored`: held because the server's data were restored or copied. */
export const NOTIFICATION_KINDS = [
  'failed',
  'unconfirmed',
  'missed',
  'restored',
  'link_again',
  'access_ending',
  'limit',
] as const
export const NotificationKind = z.enum(NOTIFICATION_KINDS)
export type NotificationKind = z.infer<typeof NotificationKind>

export const Notification = z.object({
  notification_id: NotificationId.describe(
    'Grows with time. What has changed since gets a new notification with a new id, in the place of the old one.',
  ),
  kind: NotificationKind,
  at: z.iso.datetime(),
  subject: z.string().describe("The beginning of the post's text, or the account's name."),
  title: z.string().describe('What happened, such as "Failed on 2 of 6 accounts".'),
  message: z.string().describe('Why, and what can be done, as sentences.'),
  post_id: PostId.nullable().describe('null: it is about an account.'),
  account_id: AccountId.nullable().describe('null: it is about a post.'),
  read: z.boolean(),
})
export type Notification = z.infer<typeof Notification>

/** `at_once`: within minutes. `hourly`, `daily`: what has gathered, together. `never`: no mail. */
export const Digest = z.enum(['at_once', 'hourly', 'daily', 'never'])
export type Digest = z.infer<typeof Digest>

/** When daily mails go out, on the user's clock. */
export const DAILY_MAIL_AT = '09:00'

const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Give the time as HH:MM.')

export const QuietHours = z
  .object({ from: ClockTime, until: ClockTime })
  .refine(({ from, until }) => from !== until, { message: 'Choose two different times.', path: ['until'] })
export type QuietHours = z.infer<typeof QuietHours>

export const NotificationSettings = z.object({
  kinds: z.record(
    NotificationKind,
    z.object({
      in_app: z.boolean().describe('Listed in Reelay.'),
      mail: z.boolean().describe('Sent by mail, as `digest` says.'),
    }),
  ),
  digest: Digest,
  quiet_hours: QuietHours.nullable().describe(
    "No mail between these times on the clocks of the user's time zone: it waits until they are over. null: none.",
  ),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>

/** The settings, and what mail this server sends. */
export const NotificationSettingsView = NotificationSettings.extend({
  mail: z
    .enum(['sent', 'practice', 'off'])
    .describe(
      'practice: mails are only put into the mailbox of the practice platforms. off: this server has no mail server, and tells nobody by mail.',
    ),
  email: z.string().describe('Where mails go.'),
  email_confirmed: z.boolean().describe('Mails only go to an address that its user has confirmed.'),
  timezone: z.string().describe("The user's zone, of the quiet hours and the daily mail."),
})
export type NotificationSettingsView = z.infer<typeof NotificationSettingsView>

export const notificationEndpoints = {
  listNotifications: endpoint({
    method: 'GET',
    path: '/notifications',
    tag: 'Notifications',
    summary: `The user's notifications, latest first, ${NOTIFICATIONS_PER_PAGE} at a time`,
    auth: 'bearer',
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{1,15}$/, 'This cursor is not one of ours.')
        .optional(),
    }),
    status: 200,
    reply: z.object({
      items: z.array(Notification),
      next_cursor: z.string().nullable().describe('null: this is the last page.'),
    }),
    problems: ['invalid'],
  }),
  getUnread: endpoint({
    method: 'GET',
    path: '/notifications/unread',
    tag: 'Notifications',
    summary: 'How much the user has not read, the latest of it, and how many posts need attention',
    auth: 'bearer',
    status: 200,
    reply: z.object({
      unread: z.int().describe(`At most ${UNREAD_COUNTED_MAX} are counted.`),
      latest: Notification.nullable().describe('The latest that is unread.'),
      needs_attention: z
        .int()
        .describe(
          `Posts under the filter \`attention\` of the queue; at most ${POSTS_COUNTED_MAX} are counted.`,
        ),
      quiet: z.boolean().describe('Whether it is within the quiet hours now.'),
    }),
    problems: [],
  }),
  readNotifications: endpoint({
    method: 'POST',
    path: '/notifications/read',
    tag: 'Notifications',
    summary: 'Mark one as read, or all up to one; what came later stays unread',
    auth: 'bearer',
    body: z.object({
      notification_id: NotificationId,
      and_earlier: z.boolean().default(false).describe('Also every one before it.'),
    }),
    status: 204,
    reply: noContent,
    problems: ['invalid'],
  }),
  getNotificationSettings: endpoint({
    method: 'GET',
    path: '/notifications/settings',
    tag: 'Notifications',
    summary: 'Which notifications the user gets, how and when',
    auth: 'bearer',
    status: 200,
    reply: NotificationSettingsView,
    problems: [],
  }),
  setNotificationSettings: endpoint({
    method: 'PUT',
    path: '/notifications/settings',
    tag: 'Notifications',
    summary: 'Change which notifications the user gets, how and when',
    auth: 'bearer',
    body: NotificationSettings,
    status: 200,
    reply: NotificationSettingsView,
    problems: ['invalid'],
  }),
} as const
