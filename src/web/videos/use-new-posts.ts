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
import { PATHS } from '#web/lib/paths.ts'
import { targetsOfBrand } from '#web/lib/targets-of-brand.ts'

/** Begins a post with one video, or a draft for each of several: for the accounts of the video's brand, as in the composer. `onSaved`: these have one, others failed. */
export function useNewPosts(onSaved: (videos: ReadonlySet<VideoId>) => void) {
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: saveDrafts,
    onSuccess: ({ saved, error }, videos) => {
      if (error === null) return navigate(PATHS.drafts)
      onSaved(saved)
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

/** @returns the videos that have a draft now, and why the next one has none */
async function saveDrafts(
  videos: readonly Video[],
): Promise<{ saved: ReadonlySet<VideoId>; error: unknown }> {
  const saved = new Set<VideoId>()
  try {
    const accounts = await queryClient.fetchQuery(accountsQuery())
    for (const { video_id, brand_id } of videos) {
      const targets = brand_id === null ? [] : targetsOfBrand(accounts, brand_id)
      const content = { video_id, text: '', platform_options: {}, targets, publish_at: null }
      await call('saveDraft', { params: { draftId: newUuid() }, body: { version: 0, content } })
      saved.add(video_id)
    }
    return { saved, error: null }
  } catch (error) {
    return { saved, error }
  }
}
