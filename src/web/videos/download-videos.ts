import type { Video } from '#contract/videos.ts'
import { TEXTS } from '#contract/texts.ts'
import { playbackQuery, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { delay } from '#web/lib/delay.ts'
import { messageOf } from '#web/lib/message-of.ts'

/** Safari drops downloads that begin together. */
const BETWEEN_MS = 500

/** Lets the browser download these videos, one after the other. */
export async function downloadVideos(videos: readonly Pick<Video, 'video_id' | 'filename'>[]): Promise<void> {
  for (const [at, { video_id, filename }] of videos.entries()) {
    if (at > 0) await delay(BETWEEN_MS)
    try {
      const { url } = await queryClient.fetchQuery(playbackQuery(video_id))
      const address = new URL(url, location.href)
      address.searchParams.set('download', '1')
      const link = document.createElement('a')
      link.href = address.href
      link.download = filename
      link.click()
    } catch (error) {
      const reason = messageOf(error, TEXTS.unknownError)
      announce({ kind: 'failed', message: `${filename} could not be downloaded. ${reason}` })
      return
    }
  }
}
