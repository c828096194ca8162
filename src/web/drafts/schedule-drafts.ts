import type { Draft, DraftSummary } from '#contract/drafts.ts'
import type { ScheduleId } from '#contract/ids.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { schedulesQuery } from '#web/api/planning.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import {
  accountOptionsQuery,
  accountsQuery,
  brandsQuery,
  queryClient,
  settingsQuery,
  videoQuery,
} from '#web/api/queries.ts'
import { listChecks } from '#web/composer/checks.ts'
import { keptEdit } from '#web/composer/draft-place.ts'
import { obstacleOf, type Judged, type LiveAccount } from '#web/composer/readiness.ts'
import { judge } from '#web/composer/use-judged.ts'
import { toLiveAccounts } from '#web/composer/use-live-accounts.ts'
import { toNewPost } from '#web/composer/use-publish.ts'
import { messageOf } from '#web/lib/message-of.ts'

/** When several drafts go out: each in the next free slot of its posting schedules, or at once. */
export type DraftsGoOut = 'in slots' | 'now'

/** A draft that can be posted. Sent again, it makes no second post: a draft is posted once. */
export type ReadyDraft = {
  readonly draft: DraftSummary
  readonly post: NewPost
  /** The posting schedules of its accounts' brands: the first with a free slot takes it. null: it goes out at once. */
  readonly schedules: readonly ScheduleId[] | null
  readonly judged: readonly Judged[]
}

export type CheckedDraft =
  | ({ readonly kind: 'ready' } & ReadyDraft)
  | { readonly kind: 'incomplete'; readonly draft: DraftSummary; readonly missing: readonly string[] }

type Asker = { readonly uid: string; readonly zone: string; readonly when: DraftsGoOut }

/** Checks drafts as the composer does, in their order. */
export async function checkDrafts(
  drafts: readonly DraftSummary[],
  asker: Asker,
  signal: AbortSignal,
): Promise<CheckedDraft[]> {
  const checked: CheckedDraft[] = []
  const sent = new Set<string>()
  for (const draft of drafts) {
    signal.throwIfAborted()
    const one = await checkDraft(draft, asker)
    const pairs = one.kind === 'ready' ? pairsOf(one.post) : []
    const isTwice = asker.when === 'now' && pairs.some((pair) => sent.has(pair))
    checked.push(isTwice ? { kind: 'incomplete', draft, missing: [TWICE] } : one)
    for (const pair of pairs) sent.add(pair)
  }
  return checked
}

const pairsOf = ({ video_id, targets }: NewPost): string[] =>
  targets.map(({ account_id }) => `${video_id} ${account_id}`)

async function checkDraft(draft: DraftSummary, { uid, zone, when }: Asker): Promise<CheckedDraft> {
  const incomplete = (...missing: string[]): CheckedDraft => ({ kind: 'incomplete', draft, missing })
  const stored = await findDraft(draft)
  if (stored === null) return incomplete('It was posted or deleted meanwhile.')
  const { content, version } = stored
  const kept = keptEdit(uid, draft.draft_id)
  if (kept !== null && JSON.stringify(kept.content) !== JSON.stringify(content)) return incomplete(NOT_SAVED)
  const [accounts, brands, settings, schedules] = await Promise.all([
    queryClient.fetchQuery({ ...accountsQuery(), staleTime: FRESH_MS }),
    queryClient.fetchQuery({ ...brandsQuery, staleTime: FRESH_MS }),
    queryClient.fetchQuery(settingsQuery),
    queryClient.fetchQuery({ ...schedulesQuery, staleTime: FRESH_MS }),
  ])
  const video = content.video_id === null ? null : await findVideo(content.video_id)
  const ids = content.targets.map(({ account_id }) => account_id)
  const chosen = ids.flatMap((id) => accounts.find(({ account_id }) => account_id === id) ?? [])
  const known = { selected: new Set(ids), started: new Map(), goesOutAt: null, settings, brands }
  const live = await Promise.all(toLiveAccounts(chosen, known).map(withOptions))
  const judged = live.map((one) => judge(one, { content, video, refusal: null, zone }))
  const linked = new Set(chosen.map(({ account_id }) => account_id))
  const stops = listChecks({
    video,
    isUploading: false,
    isAsking: false,
    videoFix: null,
    judged,
    text: content.text,
    gone: ids.filter((id) => !linked.has(id)),
    similar: [],
    momentOf: String,
    now: 0,
    timeProblem: null,
    timeFix: null,
    refused: { caption: null, video: null, time: null },
  }).filter(({ level }) => level === 'stop')
  if (stops.length > 0)
    return incomplete(...new Set(stops.map(({ who, text }) => (who === null ? text : `${who}: ${text}`))))
  const post = toNewPost(content, judged)
  if (post === null) return incomplete('Something is missing. Open it to see what.')
  const { publish_at: _at, schedule: _place, ...rest } = post
  const ready = (own: ReadyDraft['schedules']): CheckedDraft => ({
    kind: 'ready',
    draft,
    post: { ...rest, draft: { draft_id: draft.draft_id, version } },
    schedules: own,
    judged,
  })
  if (when === 'now') return (await isRepeat(post)) ? incomplete(REPEATED) : ready(null)
  const brandIds = new Set(chosen.map(({ brand_id }) => brand_id))
  const ofBrands = schedules.filter(({ brand_id }) => brandIds.has(brand_id)).map((one) => one.schedule_id)
  if (ofBrands.length === 0) return incomplete('Its brand has no posting schedule.')
  const named = ofBrands.filter((id) => id === content.schedule?.schedule_id)
  return ready([...new Set([...named, ...ofBrands])])
}

/** What goes out at once cannot be undone, so a repetition is looked at first. */
async function isRepeat({ video_id, targets, text }: NewPost): Promise<boolean> {
  const written = targets.map((target) => ({ account_id: target.account_id, text: target.text ?? text }))
  const { items } = await call('findSimilarPosts', { body: { video_id, targets: written } })
  return items.some(({ same }) => same === 'video' || same === 'both')
}

const REPEATED = 'An account has its video already, or is about to get it. Open it to publish it again.'
const TWICE = 'Another of these drafts sends the same video to the same account.'

export const NOT_SAVED = 'This browser has changes to it that are not saved. Open it first.'

/** Checks of one press see the same. */
const FRESH_MS = 30_000

async function findDraft({ draft_id: draftId }: DraftSummary): Promise<Draft | null> {
  const found = await orNotFound(call('getDraft', { params: { draftId } }))
  return found === null || found.deleted_at !== null ? null : found
}

const findVideo = (videoId: NonNullable<Draft['content']['video_id']>) =>
  orNotFound(queryClient.fetchQuery(videoQuery(videoId)))

async function orNotFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'not_found') return null
    throw error
  }
}

/** An account with what its platform says of it now; `failure` says why it could not be asked. */
async function withOptions(live: LiveAccount): Promise<LiveAccount> {
  if (obstacleOf(live) !== null) return live
  try {
    return { ...live, now: await queryClient.fetchQuery(accountOptionsQuery(live.account.account_id)) }
  } catch (error) {
    return { ...live, failure: error instanceof Error ? error : new Error(TEXTS.unknownError) }
  }
}

export type Posting =
  | { readonly kind: 'posted'; readonly draft: DraftSummary; readonly post: Post }
  | { readonly kind: 'refused'; readonly draft: DraftSummary; readonly why: string }
  /** It may have been posted: `again` asks for the same once more. */
  | { readonly kind: 'unanswered'; readonly again: ReadyDraft }

/** Posts a draft at once, or in the next free slot of the first of its posting schedules that has one. */
export async function postDraft(ready: ReadyDraft): Promise<Posting> {
  const { draft, post, schedules } = ready
  const places = schedules?.map((schedule_id) => ({ schedule_id, place: 'next' as const })) ?? [undefined]
  let why = 'Its posting schedules have no free slot.'
  for (const [at, schedule] of places.entries()) {
    try {
      const made = await call('createPost', { body: { ...post, ...(schedule && { schedule }) } })
      return { kind: 'posted', draft, post: made }
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      // From here again: another schedule would be another request for a post that may exist.
      if (isUnanswered(error))
        return { kind: 'unanswered', again: { ...ready, schedules: schedules?.slice(at) ?? null } }
      const [message] = Object.values(error.errors).flat()
      why = message ?? messageOf(error, TEXTS.unknownError)
      if (error.errors['schedule.schedule_id'] === undefined) break
    }
  }
  return { kind: 'refused', draft, why }
}
