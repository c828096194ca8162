import type { CalendarPost } from '#contract/planning/calendar.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { DraftId, PostId, ScheduleId, VideoId } from '#contract/ids.ts'
import type { Moment } from '#contract/posts.ts'
import { call } from '#web/api/api.ts'
import { ANY_SCHEDULES, schedulesQuery } from '#web/api/planning.ts'
import { queryClient } from '#web/api/queries.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import type { Entry } from './calendar-entries.ts'

/** An entry of the calendar, a draft without a time, or a video of the library can be given a time. */
export type Movable =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'draft'; readonly draftId: DraftId; readonly title: string }
  | { readonly kind: 'video'; readonly videoId: VideoId; readonly title: string }

/** `schedule`: the name of the posting schedule whose slot was taken. `undo` returns what the user must know, null if all is as before. */
type MoveResult = { readonly schedule: string | null; readonly undo: () => Promise<string | null> }

/** An instant (epoch ms), the zone of the page, and the posting schedule on whose slot it was dropped. */
export type Goal = { readonly at: number; readonly zone: string; readonly scheduleId: ScheduleId | null }

/** @throws {ApiProblem} as the server refuses it */
export function saveCalendarMove(it: Movable, { at, zone, scheduleId }: Goal): Promise<MoveResult> {
  // The zone in which a time was chosen stays.
  const to = (timezone: string): Moment => ({
    at: new Date(at).toISOString(),
    timezone,
    ...(scheduleId !== null && { schedule_id: scheduleId }),
  })
  if (it.kind === 'video') return planVideo(it.videoId, to(zone))
  if (it.kind === 'draft') return planDraft(it.draftId, to(zone))
  const { entry } = it
  return entry.kind === 'draft'
    ? planDraft(entry.of.draft_id, to(entry.of.publish_at.timezone))
    : movePost(entry.of, timeOfPost(entry.of, to(entry.of.timezone ?? zone)))
}

/** The whole post moves as far as the entry, which may be of accounts that get it later. A slot is for the first of them. */
const timeOfPost = ({ at, post_at }: CalendarPost, to: Moment): Moment =>
  to.schedule_id == null
    ? { ...to, at: new Date(Date.parse(to.at) - Date.parse(at) + Date.parse(post_at)).toISOString() }
    : to

type Place = Pick<CalendarPost, 'version' | 'post_at'> & {
  readonly slot: Pick<NonNullable<CalendarPost['slot']>, 'schedule_id' | 'at'> | null
}

/** The places that posts got here, which the calendar may show before it has read them. */
const places = new Map<PostId, Place>()

function placeOf(post: CalendarPost): Place {
  const own = places.get(post.post_id)
  return own !== undefined && own.version > post.version ? own : post
}

async function movePost(post: CalendarPost, to: Moment): Promise<MoveResult> {
  const { post_id: postId } = post
  const { post_at: at, slot } = placeOf(post)
  const move = async (moment: Moment) => {
    const body = { version: placeOf(post).version, moment }
    const { version, publish_at, schedule_id } = await call('editPost', { params: { postId }, body })
    places.set(postId, {
      version,
      post_at: publish_at ?? moment.at,
      slot: schedule_id === null ? null : { schedule_id, at: moment.at },
    })
    void queryClient.invalidateQueries(ANY_SCHEDULES)
    return schedule_id
  }
  const had = slot?.schedule_id ?? null
  const undo = async () =>
    (await move({ at: slot?.at ?? at, timezone: to.timezone, schedule_id: had, or_time: true })) === had
      ? null
      : 'It is back at its time, but no longer in its schedule: its slot is not free any more.'
  return { schedule: await findScheduleName(await move(to)), undo }
}

async function planVideo(videoId: VideoId, moment: Moment): Promise<MoveResult> {
  const draftId = newUuid()
  const content = { video_id: videoId, text: '', platform_options: {}, targets: [], publish_at: null }
  return {
    schedule: await findScheduleName(await saveDraft(draftId, { version: 0, content, moment })),
    undo: () => call('deleteDraft', { params: { draftId } }).then(() => null),
  }
}

async function planDraft(draftId: DraftId, moment: Moment): Promise<MoveResult> {
  const { version, content: before } = await call('getDraft', { params: { draftId } })
  const undo = async () => {
    // Text that was written meanwhile stays.
    const now = await call('getDraft', { params: { draftId } })
    const { publish_at, schedule } = before
    await saveDraft(draftId, { version: now.version, content: { ...now.content, publish_at, schedule } })
    return null
  }
  const scheduleId = await saveDraft(draftId, { version, content: before, moment })
  return { schedule: await findScheduleName(scheduleId), undo }
}

type DraftSave = { readonly version: number; readonly content: DraftContent; readonly moment?: Moment }

async function saveDraft(draftId: DraftId, body: DraftSave): Promise<ScheduleId | null> {
  const { content } = await call('saveDraft', { params: { draftId }, body })
  return content.schedule?.schedule_id ?? null
}

async function findScheduleName(scheduleId: ScheduleId | null): Promise<string | null> {
  if (scheduleId === null) return null
  // The move is stored even if the name cannot be read.
  const all = await queryClient.ensureQueryData(schedulesQuery).catch(() => [])
  return all.find(({ schedule_id }) => schedule_id === scheduleId)?.name ?? null
}
