import type { CalendarPost } from '#contract/planning/calendar.ts'
import type { FreeSlot } from '#contract/planning/queues.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { BrandId, DraftId, PostId, VideoId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_QUEUES } from '#web/api/planning.ts'
import { accountsQuery, queryClient } from '#web/api/queries.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { clockIn, type Entry } from './calendar-entries.ts'
import { knownZone } from '#web/lib/moments.ts'

/** What can be given a time: an entry of the calendar, a draft without one, a video of the library. */
export type Movable =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'draft'; readonly draftId: DraftId; readonly title: string }
  | { readonly kind: 'video'; readonly videoId: VideoId; readonly title: string }

/** Takes a move back. @returns what else is to be said of it; null: all is as it was */
type Undo = () => Promise<string | null>
/** `taken`: the free slot that it took. */
type Stored = { readonly taken: FreeSlot | null; readonly undo: Undo }

/** An instant (epoch ms), the zone of the page, and the free slot that it was dropped on. */
export type Goal = { readonly at: number; readonly zone: string; readonly slot: FreeSlot | null }

/** The zone in which a time was chosen stays, if this browser knows it; the page's is used where there was none. */
function publishAt(at: number, chosen: string) {
  const timezone = knownZone(chosen)
  return { local: clockIn(timezone)(at), timezone }
}

/** Of posts that were changed here since they were read. */
const versions = new Map<PostId, number>()

/**
 * Gives it a free slot that is at this time, else the time alone.
 * @throws {ApiProblem} as the server refuses it; {Error} for a slot that it was dropped on and that is not for it
 */
export function storeMove(it: Movable, goal: Goal): Promise<Stored> {
  if (it.kind === 'video') return planVideo(it.videoId, goal)
  if (it.kind === 'draft') return planDraft(it.draftId, goal, goal.zone)
  const { entry } = it
  return entry.kind === 'draft'
    ? planDraft(entry.of.draft_id, goal, entry.of.publish_at.timezone)
    : movePost(entry.of, entry.at, goal)
}

/** What goes where: what a slot must be for. `brandIds` empty: nobody yet. */
type Audience = { readonly brandIds: readonly BrandId[]; readonly platforms: readonly PlatformId[] }

/** The slot to take; null: none is there for it. */
async function findSlot(
  { at, zone, slot }: Goal,
  { brandIds, platforms }: Audience,
): Promise<FreeSlot | null> {
  const isOfBrand = ({ brand_id }: FreeSlot) => brandIds.length === 0 || brandIds.includes(brand_id)
  if (slot !== null) {
    // The server knows what it is free for; it takes any queue.
    if (!isOfBrand(slot)) throw new Error('This slot is in a queue of another brand.')
    return slot
  }
  const from = clockIn(zone)(at).slice(0, 10)
  const { slots } = await call('getCalendar', { query: { from, days: 1, timezone: zone } })
  const isFor = (one: FreeSlot) => platforms.every((platform) => one.platforms?.includes(platform) ?? true)
  return slots.find((one) => Date.parse(one.at) === at && isOfBrand(one) && isFor(one)) ?? null
}

const placeOf = ({ queue_id, local, timezone }: NonNullable<CalendarPost['slot']>) => ({
  queue_id,
  place: 'slot' as const,
  slot: { local, timezone },
})

async function movePost(of: CalendarPost, from: number, goal: Goal): Promise<Stored> {
  const { post_id: postId, timezone } = of
  const setTime = async (at: number) => {
    const version = Math.max(of.version, versions.get(postId) ?? 0)
    const body = { version, publish_at: publishAt(at, timezone ?? goal.zone) }
    const post = await call('editPost', { params: { postId }, body })
    versions.set(postId, post.version)
  }
  const setSlot = async (slot: NonNullable<CalendarPost['slot']>) => {
    const post = await call('queuePost', { params: { postId }, body: placeOf(slot) })
    versions.set(postId, post.version)
    void queryClient.invalidateQueries(ANY_QUEUES)
  }
  const platforms = of.marks.map(({ platform }) => platform)
  const accounts = { brandIds: of.brand_id === null ? [] : [of.brand_id], platforms }
  // One of several brands is only put where it is dropped.
  const slot = of.brand_id === null && goal.slot === null ? null : await findSlot(goal, accounts)
  await (slot === null ? setTime(goal.at) : setSlot(slot))
  const undo: Undo = async () => {
    try {
      await (of.slot === null ? setTime(from) : setSlot(of.slot))
      return null
    } catch (error) {
      const code = error instanceof ApiProblem ? error.code : null
      const isGone = code === 'slot_not_free' || code === 'not_found'
      if (of.slot === null || !isGone) throw error
      await setTime(from)
      return 'It is back at its time, but no longer in its queue: its slot is not free any more.'
    }
  }
  return { taken: slot, undo }
}

type Plan = Pick<DraftContent, 'publish_at' | 'queue'>

const planOf = (slot: FreeSlot | null, at: number, timezone: string): Plan =>
  slot === null ? { publish_at: publishAt(at, timezone) } : { publish_at: null, queue: placeOf(slot) }

async function planVideo(videoId: VideoId, goal: Goal): Promise<Stored> {
  const slot = await findSlot(goal, { brandIds: [], platforms: [] })
  const draftId = newUuid()
  const content = { video_id: videoId, text: '', platform_options: {}, targets: [] }
  const body = { version: 0, content: { ...content, ...planOf(slot, goal.at, goal.zone) } }
  await call('saveDraft', { params: { draftId }, body })
  return { taken: slot, undo: () => call('deleteDraft', { params: { draftId } }).then(() => null) }
}

/** @param timezone in which the time is kept */
async function planDraft(draftId: DraftId, goal: Goal, timezone: string): Promise<Stored> {
  const { content } = await call('getDraft', { params: { draftId } })
  const slot = await findSlot(goal, await audienceOf(content))
  await savePlan(draftId, planOf(slot, goal.at, timezone))
  const { publish_at, queue } = content
  const undo = () => savePlan(draftId, { publish_at, ...(queue && { queue }) }).then(() => null)
  return { taken: slot, undo }
}

async function audienceOf({ targets }: DraftContent): Promise<Audience> {
  if (targets.length === 0) return { brandIds: [], platforms: [] }
  const all = await queryClient.ensureQueryData(accountsQuery())
  const its = all.filter(({ account_id }) => targets.some((target) => target.account_id === account_id))
  return { brandIds: its.map(({ brand_id }) => brand_id), platforms: its.map(({ platform }) => platform) }
}

/** The rest of its content is read first: nothing that another tab has saved is lost. */
async function savePlan(draftId: DraftId, plan: Plan): Promise<void> {
  const { version, content } = await call('getDraft', { params: { draftId } })
  const { queue: _queue, ...rest } = content
  await call('saveDraft', { params: { draftId }, body: { version, content: { ...rest, ...plan } } })
}
