import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, NotificationId, PostId, WebhookId } from './ids.ts'
import { NOTIFICATIONS_PER_PAGE, POSTS_COUNTED_MAX, UNREAD_COUNTED_MAX } from './limits.ts'

/** `missed`: due while the server was not running, and too late to go out by itself. `restored`: held because the server's data were restored or copied. `webhook_off`: switched off after days without a delivery. */
export const NOTIFICATION_KINDS = [
  'failed',
  'unconfirmed',
  'missed',
  'restored',
  'link_again',
  'access_ending',
  'limit',
  'webhook_off',
] as const
export const NotificationKind = z.enum(NOTIFICATION_KINDS)
export type NotificationKind = z.infer<typeof NotificationKind>

export const Notification = z.object({
  notification_id: NotificationId.describe(
    'Ids grow with time. When something happens, a new notification with a new id replaces the old one. While an account waits for the same cause, only the words change.',
  ),
  kind: NotificationKind,
  at: z.iso.datetime(),
  subject: z.string().describe("The beginning of the post's text, or the account's name."),
  title: z
    .string()
    .describe(
      'A short summary, such as "Failed on 2 of 6 accounts" or "@cafe.luna must be linked again · 4 posts wait".',
    ),
  message: z.string().describe('The reason and what can be done about it, as sentences.'),
  post_id: PostId.nullable().describe('null if the notification is not about a post.'),
  account_id: AccountId.nullable().describe('null if the notification is not about an account.'),
  webhook_id: WebhookId.nullable().describe('null if the notification is not about a webhook.'),
  read: z.boolean(),
})
export type Notification = z.infer<typeof Notification>

/** `at_once`: within a minute or two, and ten minutes after the last mail at the earliest. `hourly`, `daily`: what has gathered, together. `never`: no mail. */
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
      in_app: z.boolean().describe('Show it in Reelay.'),
      mail: z.boolean().describe('Send it by mail, as often as `digest` says.'),
    }),
  ),
  digest: Digest,
  quiet_hours: QuietHours.nullable().describe(
    "Quiet hours in the user's time zone. Mails wait until they are over. null for no quiet hours.",
  ),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>

/** The settings, and what mail this server sends. */
export const NotificationSettingsView = NotificationSettings.extend({
  mail: z
    .enum(['sent', 'practice', 'off'])
    .describe(
      'practice: mails only go to the mailbox of the practice platforms. off: this server has no mail server and sends no mails.',
    ),
  email: z.string().describe('The address that mails go to.'),
  email_confirmed: z
    .boolean()
    .describe('true once the user has confirmed the address. Mails are sent only to confirmed addresses.'),
  timezone: z.string().describe("The user's time zone, for quiet hours and the daily mail."),
})
export type NotificationSettingsView = z.infer<typeof NotificationSettingsView>

export const notificationEndpoints = {
  listNotifications: endpoint({
    method: 'GET',
    path: '/notifications',
    tag: 'Notifications',
    summary: `List the user's notifications, latest first, ${NOTIFICATIONS_PER_PAGE} at a time`,
    auth: 'read',
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{1,15}$/, 'This cursor is not one of ours.')
        .optional(),
    }),
    status: 200,
    reply: z.object({
      items: z.array(Notification),
      next_cursor: z.string().nullable().describe('null on the last page.'),
    }),
    problems: ['invalid'],
  }),
  getUnread: endpoint({
    method: 'GET',
    path: '/notifications/unread',
    tag: 'Notifications',
    summary:
      'Count the unread notifications, the posts that need attention and the accounts to link again, and show the latest unread notification',
    auth: 'read',
    status: 200,
    reply: z.object({
      unread: z.int().describe(`Counted up to ${UNREAD_COUNTED_MAX}.`),
      latest: Notification.nullable().describe('The latest unread notification.'),
      needs_attention: z
        .int()
        .describe(`Posts that the queue lists under \`attention\`, counted up to ${POSTS_COUNTED_MAX}.`),
      accounts_to_link: z.int().describe('Accounts that need to be linked again.'),
      quiet: z.boolean().describe("true during the user's quiet hours."),
    }),
    problems: [],
  }),
  readNotifications: endpoint({
    method: 'POST',
    path: '/notifications/read',
    tag: 'Notifications',
    summary: 'Mark a notification as read, or all up to it. Later ones stay unread',
    auth: 'write',
    body: z.object({
      notification_id: NotificationId,
      and_earlier: z.boolean().default(false).describe('true to mark every earlier one as well.'),
    }),
    status: 204,
    reply: noContent,
    problems: ['invalid'],
  }),
  getNotificationSettings: endpoint({
    method: 'GET',
    path: '/notifications/settings',
    tag: 'Notifications',
    summary: "Get the user's notification settings",
    auth: 'read',
    status: 200,
    reply: NotificationSettingsView,
    problems: [],
  }),
  setNotificationSettings: endpoint({
    method: 'PUT',
    path: '/notifications/settings',
    tag: 'Notifications',
    summary: "Change the user's notification settings",
    auth: 'write',
    body: NotificationSettings,
    status: 200,
    reply: NotificationSettingsView,
    problems: ['invalid'],
  }),
} as const
