import { useMutation } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import type { VideoId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { accountsQuery, ANY_DRAFTS, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { PATHS, planPath } from '#web/lib/paths.ts'
import { targetsOfBrand } from '#web/lib/targets-of-brand.ts'

/** Begins a post with one video, or plans a draft for each of several: for the accounts of the video's brand, as in the composer. `onSaved`: these have one, others failed. */
export function useNewPosts(onSaved: (videos: ReadonlySet<VideoId>) => void) {
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: saveDrafts,
    onSuccess: ({ saved, error }, videos) => {
      if (error === null) return navigate(planPath([...saved.values()]))
      onSaved(new Set(saved.keys()))
      const reason = messageOf(error, TEXTS.unknownError)
      announce({ kind: 'failed', message: `${saved.size} of ${videos.length} drafts are saved. ${reason}` })
    },
    onSettled: () => queryClient.invalidateQueries(ANY_DRAFTS),
  })
  return {
    isStarting: save.isPending,
    start: (videos: readonly Video[]) => {
      const [only] = videos
      if (videos.length > 1) save.mutate(videos)
      else if (only) void navigate(`${PATHS.compose}?video=${only.video_id}`)
    },
  }
}

/** @returns the drafts of the videos that have one now, and why the next one has none */
async function saveDrafts(
  videos: readonly Video[],
): Promise<{ saved: ReadonlyMap<VideoId, string>; error: unknown }> {
  const saved = new Map<VideoId, string>()
  try {
    const accounts = await queryClient.fetchQuery(accountsQuery())
    for (const { video_id, brand_id } of videos) {
      const targets = brand_id === null ? [] : targetsOfBrand(accounts, brand_id)
      const content = { video_id, text: '', platform_options: {}, targets, publish_at: null }
      const draftId = newUuid()
      await call('saveDraft', { params: { draftId }, body: { version: 0, content } })
      saved.set(video_id, draftId)
    }
    return { saved, error: null }
  } catch (error) {
    return { saved, error }
  }
}
