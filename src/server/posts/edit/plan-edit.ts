import { isDeepStrictEqual } from 'node:util'
import { goesToInbox, PLATFORM_OPTIONS, PlatformId } from '#contract/platforms/index.ts'
import type { PostChange } from '#contract/posts.ts'
import type { Target } from '../check-post.ts'

export type Present = {
  readonly deliveryId: number
  readonly accountId: number
  readonly platform: string
  readonly text: string
  readonly options: Readonly<Record<string, unknown>>
  readonly afterMinutes: number
  /** `over`: cancelled, so it cannot be changed and need not be. */
  readonly stage: 'waiting' | 'started' | 'over'
}

/** `asked`: the deliveries to change or add (`present: null`); `concerned`: those for which the change is not possible. */
export type EditPlan<T extends Present> = {
  readonly asked: readonly { readonly target: Target; readonly present: T | null }[]
  readonly removed: readonly T[]
  readonly concerned: readonly T[]
}

/** Decides for each delivery what a change of text, video or accounts means. */
export function planEdit<T extends Present>(
  post: { readonly text: string; readonly videoId: number },
  deliveries: readonly T[],
  change: PostChange,
): EditPlan<T> {
  const isOtherVideo = change.video_id !== undefined && change.video_id !== post.videoId
  const held = isOtherVideo ? deliveries.filter(({ stage }) => stage === 'started') : []
  const plan = change.targets
    ? planTargets(deliveries, change.targets, change.text ?? post.text)
    : planText(post.text, deliveries, change, isOtherVideo)
  return { ...plan, concerned: [...new Set([...held, ...plan.concerned])] }
}

/** An account without a text of its own follows the shared one. */
function planText<T extends Present>(
  before: string,
  deliveries: readonly T[],
  { text = before }: PostChange,
  isOtherVideo: boolean,
): EditPlan<T> {
  const waiting = deliveries.filter(({ stage }) => stage === 'waiting')
  const isConcerned = isOtherVideo || text !== before
  const asked = waiting
    .filter((one) => isOtherVideo || (text !== before && follows(one, before)))
    .map((present) => ({
      target: {
        accountId: present.accountId,
        text: follows(present, before) ? text : present.text,
        textField: 'text',
        options: present.options,
        field: 'targets',
        optionsField: 'targets',
        platform: null,
        afterMinutes: null,
        isInPost: true as const,
      },
      present,
    }))
  return { asked, removed: [], concerned: isConcerned && waiting.length === 0 ? deliveries : [] }
}

const follows = (one: Present, shared: string): boolean => isForInbox(one) || one.text === shared

const isForInbox = ({ platform, options }: Present): boolean =>
  goesToInbox(PlatformId.parse(platform), options)

function planTargets<T extends Present>(
  deliveries: readonly T[],
  targets: NonNullable<PostChange['targets']>,
  shared: string,
): EditPlan<T> {
  const presentOf = new Map(deliveries.map((one) => [one.accountId, one]))
  const named = new Set<number>(targets.map(({ account_id }) => account_id))
  const asked = targets.flatMap((one, i): EditPlan<T>['asked'] => {
    const present = presentOf.get(one.account_id) ?? null
    if (present !== null && present.stage !== 'waiting') return []
    const target = {
      accountId: one.account_id,
      text: one.text ?? shared,
      textField: one.text === undefined ? 'text' : `targets.${i}.text`,
      options: one.options,
      field: `targets.${i}.account_id`,
      optionsField: `targets.${i}.options`,
      platform: null,
      afterMinutes: one.after_minutes ?? null,
      ...(present !== null && { isInPost: true as const }),
    }
    return [{ target, present }]
  })
  const leftOut = deliveries.filter(({ accountId }) => !named.has(accountId))
  const changed = targets.flatMap((one) => {
    const present = presentOf.get(one.account_id)
    return present && present.stage !== 'waiting' && !isAsItIs(present, one) ? [present] : []
  })
  return {
    asked,
    removed: leftOut.filter(({ stage }) => stage === 'waiting'),
    concerned: [...leftOut.filter(({ stage }) => stage === 'started'), ...changed],
  }
}

type AskedTarget = NonNullable<PostChange['targets']>[number]

function isAsItIs(present: Present, { text, options, after_minutes }: AskedTarget): boolean {
  if (after_minutes !== undefined && after_minutes !== present.afterMinutes) return false
  if (text !== undefined && text !== present.text && !isForInbox(present)) return false
  return Object.keys(options).length === 0 || isSameOptions(present, options)
}

/** An option that is not given has its default. */
export function isSameOptions(present: Present, options: object): boolean {
  const schema = PLATFORM_OPTIONS[PlatformId.parse(present.platform)]
  const [one, other] = [schema.safeParse(present.options), schema.safeParse(options)]
  return one.success && other.success && isDeepStrictEqual(one.data, other.data)
}
