import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { AccountId, DeliveryId, PostId } from './ids.ts'
import { POSTS_AT_ONCE_MAX } from './limits.ts'
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

export const BlockedCause = z.enum(['account', 'limit', 'missed', 'paused', 'restored'])
export type BlockedCause = z.infer<typeof BlockedCause>

export const Pausable = z.enum(['account', 'brand', 'schedule'])
export type Pausable = z.infer<typeof Pausable>

/** The end of a pause that ends by itself. */
export const PausedUntil = z.iso
  .datetime()
  .nullable()
  .describe(
    'The time at which posting resumes by itself. null if it is not paused, or until the user resumes it.',
  )

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
    of: z
      .enum(['account', 'app'])
      .describe('account: this account. app: every account that this server has linked on the platform.'),
    since: z.iso.datetime(),
    until: z.iso.datetime().describe('The time at which the next post tries again.'),
  })
  .describe('Set if this post waits because the platform refused another one.')

/** Why a delivery waits or failed: what happened, and what the user can do. */
export const Reason = z.object({
  code: z.string().describe("The platform's own error code, if it gave one."),
  message: z.string().describe('A sentence that says what happened.'),
  remedy: z.string().describe('A sentence that says what to do, and who can do it.'),
  detail: z.string().nullable().describe("The platform's own words, for support."),
  needs_change: z
    .boolean()
    .optional()
    .describe(
      'true if the platform refused the text, the settings or the file itself: a retry without a change is refused again.',
    ),
  pause: Pause.optional(),
})
export type Reason = z.infer<typeof Reason>

export const OpenOutcome = z.object({
  called_at: z.iso.datetime().describe('The time at which Reelay asked the platform to publish.'),
  times_asked: z.int().describe('The number of times that Reelay has asked the platform about it since.'),
  asked_at: z.iso.datetime().nullable().describe("The time of Reelay's last question."),
  answer: z.string().nullable().describe("The platform's last answer, as a sentence."),
})
export type OpenOutcome = z.infer<typeof OpenOutcome>

/** Follow-ups of a live post add its first comment, ask for its link, turn its comments off, set its own cover and look whether it is as asked. */
export const FollowUpKind = z.enum(['first_comment', 'public_link', 'comments_off', 'cover', 'as_asked'])
export type FollowUpKind = z.infer<typeof FollowUpKind>

export const FOLLOW_UP_STATES = ['waiting', 'commenting', 'unconfirmed', 'done', 'failed'] as const

export const FollowUp = z.object({
  kind: FollowUpKind,
  status: z
    .enum(FOLLOW_UP_STATES)
    .describe(
      "unconfirmed: the platform's answer was lost. Reelay looks for the comment or setting and never adds it a second time by itself. failed: it was not added.",
    ),
  message: z.string().describe('A sentence that says what happened.'),
  remedy: z.string().nullable().describe('A sentence that says what to do.'),
  needs_attention: z
    .boolean()
    .describe(
      'It failed or is unconfirmed and nobody dismissed it, so its post is listed under `attention`. A missing link never needs attention.',
    ),
  actions: z.array(z.enum(['retry', 'dismiss'])).describe('The actions that the user can take now.'),
})
export type FollowUp = z.infer<typeof FollowUp>

/** A settled failure needs nobody any more. */
export const Settled = z.object({
  kind: z
    .enum(['dismissed', 'replaced'])
    .describe('dismissed: the user took it off the list. replaced: the user sent it again as a newer post.'),
  at: z.iso.datetime(),
  post_id: PostId.nullable().describe('The newer post. null if it was dismissed.'),
})
export type Settled = z.infer<typeof Settled>

export const Delivery = z.object({
  delivery_id: DeliveryId,
  post_id: PostId,
  account_id: AccountId,
  platform: PlatformId,
  username: z.string().nullable().describe("The account's handle without @, if it is known."),
  display_name: z.string(),
  avatar_url: z
    .string()
    .nullable()
    .describe("The account's picture on the platform, if it shares one. The address expires."),
  to_inbox: z
    .boolean()
    .describe(
      "The video goes to the inbox of the account's owner as a draft. They post it in the platform's app, so the delivery ends as `in_inbox`.",
    ),
  status: DeliveryStatus.describe(
    "in_inbox: a draft in the inbox of the account's owner. It becomes published once the platform reports that they posted it.",
  ),
  progress: z
    .object({ sent: z.number(), total: z.number() })
    .nullable()
    .describe('The bytes that the platform has received, while the video is being sent.'),
  reason: Reason.nullable(),
  cause: BlockedCause.nullable().describe(
    "The reason why a blocked delivery waits. account: link the account again. limit: a limit of the platform is reached. missed: its time passed while nothing could go out; retry publishes it now. paused: its account, brand or posting schedule is paused. restored: the server's data was restored or copied; retry publishes it now, `resolve` with `live` says that it is live already.",
  ),
  paused: Pausable.nullable().describe(
    'What is paused, while the delivery waits. A scheduled delivery has it from the moment of a pause that it falls into, and becomes blocked when it is due.',
  ),
  settled: Settled.nullable().describe(
    'The way in which a failed delivery was settled. null if it still needs its user.',
  ),
  open_outcome: OpenOutcome.nullable().describe('Set while the delivery is unconfirmed.'),
  url: z.string().nullable().describe('The address of the live post, once the platform shares it.'),
  due_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'The time at which it goes out, is tried again or is checked again. If it was missed, or is held after a restore: the time at which it should have gone out.',
    ),
  published_at: z.iso.datetime().nullable(),
  in_inbox_at: z.iso.datetime().nullable().describe('The time at which the draft arrived in the inbox.'),
  actions: z.array(DeliveryAction).describe('The actions that the user can take now.'),
  editable: z
    .boolean()
    .describe(
      'Nothing was sent to the platform, so text, options and time can still be changed for this account.',
    ),
  follow_ups: z
    .array(FollowUp)
    .describe(
      "The things that Reelay does once the post is live, such as the first comment. None of them changes the delivery's status.",
    ),
  attempt: z.int().describe('1 for the first attempt.'),
  updated_at: z.iso.datetime(),
})
export type Delivery = z.infer<typeof Delivery>

/** Nothing is sent to an account that has the same video since, unless its user says so. */
export const ConfirmRepeat = z.object({
  confirm_repeat: z
    .boolean()
    .optional()
    .describe(
      'true to post the video even though another post has brought it to this account since, or is about to. Without it such a call gets 409 `already_posted`.',
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
  event: DeliveryEvent.nullable().describe('null if only the progress changed.'),
  delivery: Delivery,
})
export type DeliveryChange = z.infer<typeof DeliveryChange>

export const NotificationsChange = z.object({
  notifications: z
    .literal('changed')
    .describe('A notification arrived or was read. Call `GET /notifications/unread`.'),
})
export type NotificationsChange = z.infer<typeof NotificationsChange>

const byDelivery = z.object({ deliveryId: DeliveryId })

/** An answer for all deliveries that are held after a restore. */
export const RestoredDecision = z
  .enum(['resume_planned', 'not_live', 'live', 'cancel'])
  .describe(
    '`resume_planned`: those whose times were still to come go out at their times; the others stay held. `not_live`: those go out too, and whatever is late waits as `missed`. `live`: those whose times had passed are live already; the others stay held. `cancel`: none goes out.',
  )
export type RestoredDecision = z.infer<typeof RestoredDecision>

export const DecideRestored = z.object({ decision: RestoredDecision })

export const DecidedRestored = z.object({
  decided: z.int().describe('Deliveries that are no longer held after the restore.'),
  missed: z.int().describe('Those of them whose time has passed. Each waits for the user (`cause: missed`).'),
  missed_post_ids: z
    .array(PostId)
    .max(POSTS_AT_ONCE_MAX)
    .describe(
      'The posts of the missed deliveries, as many as one `POST /posts/bulk` takes, in the order of their times.',
    ),
})
export type DecidedRestored = z.infer<typeof DecidedRestored>

export const deliveryEndpoints = {
  retryDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/retry',
    tag: 'Deliveries',
    summary: 'Try a failed or blocked delivery again',
    auth: 'publish',
    limitedKeys: 'named',
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
    summary: 'Take a failed delivery off the list of what needs attention. It can still be retried',
    auth: 'write',
    limitedKeys: 'named',
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
    auth: 'write',
    limitedKeys: 'named',
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
      "Say what happened to a delivery that is unconfirmed or held after a restore: it is live, it is a draft in the owner's inbox, or it is not there. `not_live` sends an unconfirmed one again",
    auth: 'publish',
    limitedKeys: 'named',
    params: byDelivery,
    body: ConfirmRepeat.extend({ outcome: z.enum(['live', 'in_inbox', 'not_live']) }),
    status: 200,
    reply: Delivery,
    problems: ['invalid', 'not_found', 'conflict', 'already_posted'],
  }),
  decideRestored: endpoint({
    method: 'POST',
    path: '/deliveries/restored',
    tag: 'Deliveries',
    summary:
      "Decide at once what becomes of all the user's deliveries that are held because the server's data was restored or copied",
    auth: 'publish',
    body: DecideRestored,
    status: 200,
    reply: DecidedRestored,
    problems: ['invalid'],
  }),
  retryFollowUp: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/follow-ups/:kind/retry',
    tag: 'Deliveries',
    summary:
      'Retry what failed after the post went live, such as the first comment. If it is unconfirmed, Reelay only looks for it once more and never adds it again',
    auth: 'publish',
    limitedKeys: 'named',
    params: byDelivery.extend({ kind: FollowUpKind }),
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  dismissFollowUp: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/follow-ups/:kind/dismiss',
    tag: 'Deliveries',
    summary:
      'Take a failed or unconfirmed follow-up off the list of what needs attention. Nothing else changes',
    auth: 'write',
    limitedKeys: 'named',
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
      "Stream every change of the user's deliveries as server-sent events, and a note whenever their notifications change",
    auth: 'read',
    stream: true,
    status: 200,
    reply: z.union([DeliveryChange, NotificationsChange]),
    problems: [],
  }),
} as const
