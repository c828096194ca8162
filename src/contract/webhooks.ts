import { z } from 'zod'
import { Account } from './accounts.ts'
import { Delivery } from './deliveries.ts'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, DeliveryId, PostId, WebhookId, WebhookMessageId } from './ids.ts'
import {
  WEBHOOK_ADDRESS_MAX_CHARS,
  WEBHOOK_ANSWER_MAX_BYTES,
  WEBHOOK_LOG_DAYS,
  WEBHOOK_LOG_MAX,
  WEBHOOK_MESSAGES_PER_PAGE,
  WEBHOOK_OLD_SECRET_HOURS,
  WEBHOOK_RESEND_MAX,
  WEBHOOK_RETRY_DAYS,
  WEBHOOKS_MAX,
} from './limits.ts'
import { PlatformId } from './platforms/index.ts'
import { Post } from './posts.ts'
import { Video } from './videos.ts'

/** What a webhook can be told of. `delivery.*` is every event that begins with `delivery.`. */
export const WEBHOOK_EVENTS = [
  'post.scheduled',
  'post.published',
  'post.partially_published',
  'post.failed',
  'delivery.*',
  'delivery.link_resolved',
  'account.needs_relink',
  'video.ready',
  'results.synced',
] as const
export const WebhookEvent = z.enum(WEBHOOK_EVENTS)
export type WebhookEvent = z.infer<typeof WebhookEvent>

/** The statuses of a delivery that are told: what happens between them lasts seconds. */
export const TOLD_STATUSES = [
  'scheduled',
  'blocked',
  'unconfirmed',
  'published',
  'in_inbox',
  'failed',
  'cancelled',
] as const satisfies readonly Delivery['status'][]

const DELIVERY_EVENTS = ([...TOLD_STATUSES, 'link_resolved'] as const).map(
  (name) => `delivery.${name}` as const,
)

const head = {
  id: z.uuid().describe('The id of the event, as in the header `webhook-id`. All attempts have the same.'),
  timestamp: z.iso.datetime().describe('The time of the event. That of the attempt is in the header.'),
}
const ofPost = {
  ...head,
  sequence: z
    .int()
    .describe('Grows with each event of the post, also after a restore, so that a receiver can order them.'),
}

/** The bodies of messages, by what they are about. `data` is the state at the time of the event. */
export const WEBHOOK_BODIES = {
  PostMessage: z.object({
    ...ofPost,
    type: z.enum(['post.scheduled', 'post.published', 'post.partially_published', 'post.failed']),
    data: z.object({ post: Post }),
  }),
  DeliveryMessage: z.object({
    ...ofPost,
    type: z.enum(DELIVERY_EVENTS),
    data: z.object({ delivery: Delivery }),
  }),
  AccountMessage: z.object({
    ...head,
    type: z.enum(['account.needs_relink']),
    data: z.object({ account: Account }),
  }),
  VideoMessage: z.object({ ...head, type: z.enum(['video.ready']), data: z.object({ video: Video }) }),
  ResultsMessage: z.object({
    ...ofPost,
    type: z.enum(['results.synced']),
    data: z.object({
      post_id: PostId,
      delivery_id: DeliveryId,
      account_id: AccountId,
      platform: PlatformId,
      read_at: z.iso.datetime(),
    }),
  }),
  TestMessage: z.object({
    ...head,
    type: z.enum(['webhook.test']),
    data: z.object({ webhook_id: WebhookId }),
  }),
} as const
export const WebhookBody = z.discriminatedUnion('type', [
  WEBHOOK_BODIES.PostMessage,
  WEBHOOK_BODIES.DeliveryMessage,
  WEBHOOK_BODIES.AccountMessage,
  WEBHOOK_BODIES.VideoMessage,
  WEBHOOK_BODIES.ResultsMessage,
  WEBHOOK_BODIES.TestMessage,
])
export type WebhookBody = z.infer<typeof WebhookBody>

const Address = z
  .url({ protocol: /^https?$/, error: 'Enter an address that begins with https://.' })
  .max(WEBHOOK_ADDRESS_MAX_CHARS, `Use at most ${WEBHOOK_ADDRESS_MAX_CHARS} characters.`)
  .refine((address) => !/^\w+:\/\/[^/?#]*@/.test(address), 'Leave the user name and password out.')
  .describe(
    'An https address in a public network. With `PRIVATE_ADDRESSES=allow` also http, and private networks.',
  )

const Events = z
  .array(WebhookEvent)
  .min(1, 'Choose at least one event.')
  .refine((events) => new Set(events).size === events.length, 'Name each event once.')

export const Webhook = z.object({
  webhook_id: WebhookId,
  address: z.string(),
  events: z.array(WebhookEvent),
  status: z
    .enum(['on', 'failing', 'off', 'switched_off'])
    .describe(
      `failing: the last attempt failed. off: its user turned it off. switched_off: nothing was delivered for ${WEBHOOK_RETRY_DAYS} days. While it is off, events are written to the log and not sent.`,
    ),
  off_since: z.iso.datetime().nullable(),
  succeeded_at: z.iso.datetime().nullable().describe('The last delivered message, to the minute.'),
  failed_at: z.iso.datetime().nullable().describe('The last failed attempt, to the minute.'),
  rotating_until: z.iso
    .datetime()
    .nullable()
    .describe('Until then the secret before the last rotation signs too. null if there is none.'),
  created_at: z.iso.datetime(),
})
export type Webhook = z.infer<typeof Webhook>

export const NewWebhook = z.strictObject({ address: Address, events: Events })
export type NewWebhook = z.infer<typeof NewWebhook>

export const WebhookChange = z.strictObject({
  address: Address.optional(),
  events: Events.optional(),
  active: z.boolean().optional().describe('false: nothing is sent by itself any more.'),
})
export type WebhookChange = z.infer<typeof WebhookChange>

/** Why an attempt failed, or why a message waits for somebody to send it. */
export const WebhookFailure = z.enum([
  'refused',
  'redirected',
  'timed_out',
  'unreachable',
  'no_address',
  'not_public',
  'not_https',
  'bad_certificate',
  'secret_lost',
  'off',
  'restored',
])
export type WebhookFailure = z.infer<typeof WebhookFailure>

export const WebhookMessage = z.object({
  message_id: WebhookMessageId,
  event_id: z.uuid(),
  type: z.string(),
  created_at: z.iso.datetime(),
  status: z
    .enum(['waiting', 'delivered', 'failed'])
    .describe('waiting: it is sent, or sent again, by itself. failed: it is not tried any more.'),
  attempts: z.int(),
  attempted_at: z.iso.datetime().nullable(),
  next_at: z.iso.datetime().nullable().describe('The time of the next attempt. null if there is none.'),
  delivered_at: z.iso.datetime().nullable(),
  answer_status: z.int().nullable().describe('The HTTP status of the last answer. null: there was none.'),
  failure: WebhookFailure.nullable().describe(
    'refused: another status than 2xx. not_public: the host is in a private network. secret_lost: the server lost the key of its secret and cannot sign. off: the webhook was off at that time. restored: it waited when the data of the server were restored.',
  ),
})
export type WebhookMessage = z.infer<typeof WebhookMessage>

export const WebhookMessageDetail = WebhookMessage.extend({
  body: z.string().describe('As it is sent: JSON.'),
  answer: z
    .string()
    .nullable()
    .describe(`The first ${WEBHOOK_ANSWER_MAX_BYTES} bytes of the last answer. null: there was none.`),
})
export type WebhookMessageDetail = z.infer<typeof WebhookMessageDetail>

const byWebhook = z.object({ webhookId: WebhookId })
const byMessage = byWebhook.extend({ messageId: WebhookMessageId })
const secret = z
  .string()
  .describe('Signs the messages (Standard Webhooks, begins with `whsec_`). Shown only here.')

export const webhookEndpoints = {
  listWebhooks: endpoint({
    method: 'GET',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'List the webhooks',
    auth: 'session',
    status: 200,
    reply: z.array(Webhook),
    problems: [],
  }),
  createWebhook: endpoint({
    method: 'POST',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: `Make a webhook: an address that is sent each of these events as a signed POST (Standard Webhooks). A user has up to ${WEBHOOKS_MAX}`,
    auth: 'session',
    body: NewWebhook,
    status: 201,
    reply: z.object({ webhook: Webhook, secret }),
    problems: ['invalid', 'conflict'],
  }),
  changeWebhook: endpoint({
    method: 'PATCH',
    path: '/webhooks/:webhookId',
    tag: 'Webhooks',
    summary: 'Change the address or the events of a webhook, or turn it on or off. What is left out stays',
    auth: 'session',
    params: byWebhook,
    body: WebhookChange,
    status: 200,
    reply: Webhook,
    problems: ['invalid', 'not_found'],
  }),
  deleteWebhook: endpoint({
    method: 'DELETE',
    path: '/webhooks/:webhookId',
    tag: 'Webhooks',
    summary: 'Delete a webhook with its log. What waits is not sent',
    auth: 'session',
    params: byWebhook,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
  rotateWebhookSecret: endpoint({
    method: 'POST',
    path: '/webhooks/:webhookId/secret',
    tag: 'Webhooks',
    summary: `Give a webhook a new secret. The old one signs too for ${WEBHOOK_OLD_SECRET_HOURS} hours`,
    auth: 'session',
    params: byWebhook,
    status: 201,
    reply: z.object({ webhook: Webhook, secret }),
    problems: ['not_found'],
  }),
  testWebhook: endpoint({
    method: 'POST',
    path: '/webhooks/:webhookId/test',
    tag: 'Webhooks',
    summary: 'Send the message `webhook.test`, once, also while the webhook is off',
    auth: 'session',
    params: byWebhook,
    status: 202,
    reply: WebhookMessage,
    problems: ['not_found'],
  }),
  listWebhookMessages: endpoint({
    method: 'GET',
    path: '/webhooks/:webhookId/messages',
    tag: 'Webhooks',
    summary: `List what a webhook was sent in the last ${WEBHOOK_LOG_DAYS} days, up to ${WEBHOOK_LOG_MAX} messages, latest first, ${WEBHOOK_MESSAGES_PER_PAGE} at a time`,
    auth: 'session',
    params: byWebhook,
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{1,15}\.\d{1,15}$/, 'This cursor is not one of ours.')
        .optional(),
    }),
    status: 200,
    reply: z.object({
      items: z.array(WebhookMessage),
      next_cursor: z.string().nullable().describe('null on the last page.'),
    }),
    problems: ['not_found', 'invalid'],
  }),
  getWebhookMessage: endpoint({
    method: 'GET',
    path: '/webhooks/:webhookId/messages/:messageId',
    tag: 'Webhooks',
    summary: 'Show a message with its body and the last answer to it',
    auth: 'session',
    params: byMessage,
    status: 200,
    reply: WebhookMessageDetail,
    problems: ['not_found'],
  }),
  resendWebhookMessage: endpoint({
    method: 'POST',
    path: '/webhooks/:webhookId/messages/:messageId/send',
    tag: 'Webhooks',
    summary: `Send a message again, with its id and body. It is tried for another ${WEBHOOK_RETRY_DAYS} days`,
    auth: 'session',
    params: byMessage,
    status: 202,
    reply: WebhookMessage,
    problems: ['not_found'],
  }),
  resendWebhookMessages: endpoint({
    method: 'POST',
    path: '/webhooks/:webhookId/messages/send',
    tag: 'Webhooks',
    summary: `Send all messages since a time again, oldest first, up to ${WEBHOOK_RESEND_MAX.toLocaleString('en-GB')} with one call`,
    auth: 'session',
    params: byWebhook,
    body: z.strictObject({
      since: z.iso.datetime(),
      undelivered: z.boolean().default(false).describe('true: only those that were not delivered.'),
    }),
    status: 202,
    reply: z.object({
      messages: z.int().describe('The number of messages that are sent again.'),
      more_since: z.iso
        .datetime()
        .nullable()
        .describe('Call again with this time for the rest. null if there is no rest.'),
    }),
    problems: ['not_found', 'invalid'],
  }),
} as const
