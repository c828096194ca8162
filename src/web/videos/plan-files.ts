import type { DraftContent } from '#contract/drafts.ts'
import { CALLS_PER_USER, DRAFTS_MAX } from '#contract/limits.ts'
import type { ZonedTime } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { localDaysLater } from '#domain/schedule/days.ts'
import { call } from '#web/api/api.ts'
import { ANY_DRAFTS, draftsQuery, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { createCallGate } from '#web/lib/call-gate.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { planPath } from '#web/lib/paths.ts'
import { announce } from '#web/ui/announce.tsx'
import { sortFiles, tooManyVideos, type ChosenVideo } from './chosen-files.ts'
import { queueUploads } from './planned-uploads.ts'

/** What all posts begin with. `start`: the first goes out then, each other a day after the one before it. */
export type PlanStart = Partial<Pick<DraftContent, 'targets' | 'platform_options'>> & {
  readonly start?: ZonedTime | undefined
}

/** A server runs so many calls of a user at a time, and lets few more wait. */
export const planCalls = createCallGate(CALLS_PER_USER)

/**
 * Makes a draft for each of several videos and begins to upload them. @returns the address of the page that plans them; null: nothing was
 * done, and a notice says why
 */
export async function planFiles(
  uid: string,
  files: readonly File[],
  begin: PlanStart,
): Promise<string | null> {
  const { videos, notes } = await sortFiles(files)
  const refused = videos.length === 0 ? 'None of these files is a video.' : tooManyVideos(videos.length)
  if (refused !== null) return refuse(refused)
  try {
    const made = await saveDrafts(videos, begin)
    const page = planPath(made.map(({ draftId }) => draftId))
    queueUploads(made.map(({ draftId, file }) => ({ uid, draftId, page, file })))
    sayNotes(notes)
    return page
  } catch (error) {
    return refuse(`The posts could not be prepared. ${messageOf(error, TEXTS.unknownError)}`)
  }
}

function refuse(message: string): null {
  announce({ kind: 'failed', message, page: null })
  return null
}

/** Says which of the chosen files are not used. */
export function sayNotes(notes: readonly string[]): void {
  if (notes.length > 0) announce({ kind: 'note', message: notes.join(' '), page: null })
}

export type MadeDraft = {
  readonly draftId: string
  readonly file: File
  readonly version: number
  readonly content: DraftContent
}

/** All or none, as far as the number of drafts allows. @throws ApiProblem */
export async function saveDrafts(videos: readonly ChosenVideo[], begin: PlanStart): Promise<MadeDraft[]> {
  const { items } = await queryClient.fetchQuery(draftsQuery('false'))
  if (items.length + videos.length > DRAFTS_MAX)
    throw new Error(
      `You have ${counted(items.length, 'draft')}, and ${DRAFTS_MAX} is the limit. Publish or delete some first.`,
    )
  const { start } = begin
  const drafts = videos.map(({ file, caption }, i) => ({
    draftId: newUuid(),
    file,
    content: {
      video_id: null,
      text: caption,
      platform_options: begin.platform_options ?? {},
      targets: begin.targets ?? [],
      publish_at: start ? { ...start, local: localDaysLater(start.local, i) } : null,
    },
  }))
  const made = await Promise.all(
    drafts.map(async ({ draftId, file, content }) => {
      const body = { version: 0, content }
      const { version } = await planCalls(() => call('saveDraft', { params: { draftId }, body }))
      return { draftId, file, version, content }
    }),
  )
  void queryClient.invalidateQueries(ANY_DRAFTS)
  return made
}
