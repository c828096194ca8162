import type { DraftContent } from '#contract/drafts.ts'
import type { DraftId, PostId, VideoId } from '#contract/ids.ts'
import { call } from '#web/client/api.ts'
import { newDraftId } from '#web/lib/new-draft-id.ts'
import { clockIn, type Entry } from '#web/screens/calendar/model/entries.ts'

/** What can be given a time: an entry of the calendar, a draft without one, a video of the library. */
export type Movable =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'draft'; readonly draftId: DraftId; readonly title: string }
  | { readonly kind: 'video'; readonly videoId: VideoId; readonly title: string }

type Undo = () => Promise<void>

/** The zone in which a time was chosen stays; the page's is used where there was none. */
const publishAt = (at: number, timezone: string) => ({ local: clockIn(timezone)(at), timezone })

/** Of posts that were changed here since they were read. */
const versions = new Map<PostId, number>()

/** Gives it this instant (epoch ms). @returns what takes it back @throws {ApiProblem} */
export async function storeMove(it: Movable, at: number, zone: string): Promise<Undo> {
  switch (it.kind) {
    case 'entry': {
      const { entry } = it
      if (entry.kind === 'draft')
        return moveDraft(entry.of.draft_id, publishAt(at, entry.of.publish_at.timezone))
      const { post_id: postId, version, timezone } = entry.of
      const move = (to: number) => movePost(postId, version, publishAt(to, timezone ?? zone))
      await move(at)
      return () => move(entry.at)
    }
    case 'draft':
      return moveDraft(it.draftId, publishAt(at, zone))
    case 'video': {
      const draftId = newDraftId()
      const content = { video_id: it.videoId, text: '', platform_options: {}, targets: [] }
      const body = { version: 0, content: { ...content, publish_at: publishAt(at, zone) } }
      await call('saveDraft', { params: { draftId }, body })
      return () => call('deleteDraft', { params: { draftId } })
    }
  }
}

type Time = ReturnType<typeof publishAt>

async function movePost(postId: PostId, version: number, time: Time): Promise<void> {
  const body = { version: Math.max(version, versions.get(postId) ?? 0), publish_at: time }
  const post = await call('editPost', { params: { postId }, body })
  versions.set(postId, post.version)
}

/** The rest of its content is read first: nothing that another tab has saved is lost. */
async function moveDraft(draftId: DraftId, time: Time | null, before?: DraftContent['queue']): Promise<Undo> {
  const { version, content } = await call('getDraft', { params: { draftId } })
  const { queue, ...rest } = content
  // A time stands instead of a place in a queue.
  const next = { ...rest, publish_at: time, ...(time === null && before && { queue: before }) }
  await call('saveDraft', { params: { draftId }, body: { version, content: next } })
  return () => moveDraft(draftId, content.publish_at, queue).then(() => undefined)
}
