import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { AccountId, DeliveryId, PostId } from './ids.ts'
import { PlatformId } from './platforms/index.ts'

/** The states of a delivery; what each means and what may follow is decided in `domain/delivery`. */
export const DELIVERY_STATES = [
  'scheduled',
  'preparing',
  'committing',
  'processing',
  'published',
  'in_inbox',
  'failed',
  'blocked',
  'unconfirmed',
  'cancelled',
] as const
export const DeliveryStatus = z.enum(DELIVERY_STATES)
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** What a blocked delivery waits for. */
export const BlockedCause = z.enum(['account', 'limit', 'missed', 'paused', 'restored'])
export type BlockedCause = z.infer<typeof BlockedCause>

export const DeliveryAction = z.enum([
  'retry',
  'dismiss',
  'cancel',
  'resolve_live',
  'resolve_in_inbox',
  'resolve_not_live',
  'link_again',
  'resume_planned',
])
export type DeliveryAction = z.infer<typeof DeliveryAction>

const Pause = z
  .object({
    of: z.enum(['account', 'app']).describe('app: every account of this server at the platform.'),
    since: z.iso.datetime(),
    until: z.iso.datetime().describe('When one post tries whether it is over.'),
  })
  .describe('Where the post waits because the platform refused another one.')

/** Why a delivery waits or failed: what happened, and what the user can do. */
export const Reason = z.object({
  code: z.string().describe("The platform's own code where it gave one."),
  message: z.string().describe('What happened, as a sentence.'),
  remedy: z.string().describe('What can be done, and by whom, as a sentence.'),
  detail: z.string().nullable().describe("The platform's raw words, for support."),
  pause: Pause.optional(),
})
export type Reason = z.infer<typeof Reason>

/** What is known of a call to publish whose outcome is open. */
export const OpenOutcome = z.object({
  called_at: z.iso.datetime().describe('When the call to publish went out.'),
  times_asked: z.int().describe('How often the platform was asked since.'),
  asked_at: z.iso.datetime().nullable().describe('When it was asked last.'),
  answer: z.string().nullable().describe('What came of that, as a sentence.'),
})
export type OpenOutcome = z.infer<typeof OpenOutcome>

/** What is done for a live post: its first comment is added, its link asked for, its comments are turned off. */
export const FollowUpKind = z.enum(['first_comment', 'public_link', 'comments_off'])
export type FollowUpKind = z.infer<typeof FollowUpKind>

export const FOLLOW_UP_STATES = ['waiting', 'commenting', 'unconfirmed', 'done', 'failed'] as const

export const FollowUp = z.object({
  kind: FollowUpKind,
  status: z
    .enum(FOLLOW_UP_STATES)
    .describe(
      'unconfirmed: the platform did not say whether it is there, so it is looked for and never added again by itself. failed: it is not there.',
    ),
  message: z.string().describe('What happened, as a sentence.'),
  remedy: z.string().nullable().describe('What can be done, as a sentence.'),
  needs_attention: z
    .boolean()
    .describe(
      'It failed or is unconfirmed, and was not dismissed: its post is under the filter `attention`. Never so for a link.',
    ),
  actions: z.array(z.enum(['retry', 'dismiss'])).describe('What the user may do now.'),
})
export type FollowUp = z.infer<typeof FollowUp>

/** How a failure was settled, so that it needs nobody any more. */
export const Settled = z.object({
  kind: z
    .enum(['dismissed', 'replaced'])
    .describe(
      'dismissed: by its user. replaced: its user sent it again as a newer post, which speaks for it from then on.',
    ),
  at: z.iso.datetime(),
  post_id: PostId.nullable().describe('The newer post; null: it was dismissed.'),
})
export type Settled = z.infer<typeof Settled>

export const Delivery = z.object({
  delivery_id: DeliveryId,
  post_id: PostId,
  account_id: AccountId,
  platform: PlatformId,
  username: z.string().nullable().describe("The account's handle, without @, where it is known."),
  display_name: z.string(),
  to_inbox: z
    .boolean()
    .describe(
      "It goes to the inbox of the account's owner as a draft, to be posted there: `in_inbox` is where it ends here.",
    ),
  status: DeliveryStatus.describe(
    "in_inbox: a draft in the inbox of the account's owner, not posted. It becomes published once the platform reports that.",
  ),
  progress: z
    .object({ sent: z.number(), total: z.number() })
    .nullable()
    .describe('Bytes handed to the platform so far, while they are being sent.'),
  reason: Reason.nullable(),
  cause: BlockedCause.nullable().describe(
    'While it is blocked: the account must be linked again, a limit of the platform is reached, its time passed while nothing could go out (`missed`: retry publishes it now), its account, brand or queue is paused, or the data of the server were restored or copied (`restored`: retry publishes it now, `resolve` with `live` says that it is there).',
  ),
  settled: Settled.nullable().describe('While it is failed: how that was settled. null: it needs its user.'),
  open_outcome: OpenOutcome.nullable().describe('While it is unconfirmed.'),
  url: z.string().nullable().describe('The live post, once the platform tells it.'),
  due_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'When it goes out, or is tried or asked again; while it is missed or held after a restore, when it was to go out.',
    ),
  published_at: z.iso.datetime().nullable(),
  in_inbox_at: z.iso.datetime().nullable().describe('While it is in the inbox: when it arrived there.'),
  actions: z.array(DeliveryAction).describe('What the user may do now.'),
  follow_ups: z
    .array(FollowUp)
    .describe('What is added to the live post; none of it changes the status of the delivery.'),
  attempt: z.int().describe('1 for the first try.'),
  updated_at: z.iso.datetime(),
})
export type Delivery = z.infer<typeof Delivery>

/** Nothing is sent to an account that has the same video since, unless its user says so. */
export const ConfirmRepeat = z.object({
  confirm_repeat: z
    .boolean()
    .optional()
    .describe(
      'true: post the video although the account has it since, or is about to get it, from another post. Else the call answers 409 `already_posted`.',
    ),
})
export type ConfirmRepeat = z.infer<typeof ConfirmRepeat>

/** A line of a delivery's timeline. */
export const DeliveryEvent = z.object({
  event_id: z.number(),
  delivery_id: DeliveryId,
  at: z.iso.datetime(),
  status: DeliveryStatus,
  message: z.string(),
})
export type DeliveryEvent = z.infer<typeof DeliveryEvent>

export const DeliveryChange = z.object({
  event: DeliveryEvent.nullable().describe('null: only the progress moved.'),
  delivery: Delivery,
})
export type DeliveryChange = z.infer<typeof DeliveryChange>

export const NotificationsChange = z.object({
  notifications: z
    .literal('changed')
    .describe('Something was told, or read: ask `GET /notifications/unread`.'),
})
export type NotificationsChange = z.infer<typeof NotificationsChange>

const byDelivery = z.object({ deliveryId: DeliveryId })

export const ResumedPlanned = z.object({
  released: z
    .int()
    .describe('Deliveries that go out at their times; those whose time has just passed go out now.'),
  missed: z
    .int()
    .describe(
      'Deliveries whose time has passed too long ago meanwhile: each waits for the user (`cause: missed`).',
    ),
})
export type ResumedPlanned = z.infer<typeof ResumedPlanned>

export const deliveryEndpoints = {
  retryDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/retry',
    tag: 'Deliveries',
    summary: 'Try a failed or held delivery again',
    auth: 'bearer',
    params: byDelivery,
    body: ConfirmRepeat,
    status: 200,
    reply: Delivery,
    problems: ['invalid', 'not_found', 'conflict', 'already_posted'],
  }),
  dismissDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/dismiss',
    tag: 'Deliveries',
    summary: 'Take a failed delivery off the list of what needs attention; it may still be retried',
    auth: 'bearer',
    params: byDelivery,
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  cancelDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/cancel',
    tag: 'Deliveries',
    summary: 'Cancel a delivery that has not gone out',
    auth: 'bearer',
    params: byDelivery,
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  resolveDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/resolve',
    tag: 'Deliveries',
    summary:
      "Say what became of an unconfirmed delivery, or of one that is held after a restore: it is live, a draft in its owner's inbox (where it was sent to), or not there; `not_live` sends an unconfirmed one again",
    auth: 'bearer',
    params: byDelivery,
    body: ConfirmRepeat.extend({ outcome: z.enum(['live', 'in_inbox', 'not_live']) }),
    status: 200,
    reply: Delivery,
    problems: ['invalid', 'not_found', 'conflict', 'already_posted'],
  }),
  resumePlanned: endpoint({
    method: 'POST',
    path: '/deliveries/resume-planned',
    tag: 'Deliveries',
    summary:
      "Let the user's posts go out at their times that were still to come when the server's data were restored or copied, and are held since",
    auth: 'bearer',
    status: 200,
    reply: ResumedPlanned,
    problems: [],
  }),
  retryFollowUp: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/follow-ups/:kind/retry',
    tag: 'Deliveries',
    summary:
      'Try again what was not added to the live post; what is unconfirmed is only looked for once more, never added again',
    auth: 'bearer',
    params: byDelivery.extend({ kind: FollowUpKind }),
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  dismissFollowUp: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/follow-ups/:kind/dismiss',
    tag: 'Deliveries',
    summary: 'Take what failed or is unconfirmed off the list of what needs attention; nothing else changes',
    auth: 'bearer',
    params: byDelivery.extend({ kind: FollowUpKind }),
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/events',
    tag: 'Deliveries',
    summary:
      "Server-sent events: every change of the user's deliveries as it happens, and that what they were told of changed",
    auth: 'bearer',
    stream: true,
    status: 200,
    reply: z.union([DeliveryChange, NotificationsChange]),
    problems: [],
  }),
} as const
