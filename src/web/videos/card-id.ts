import type { VideoId } from '#contract/ids.ts'

/** The id of a video's card in the page. */
export const cardId = (videoId: VideoId): string => `video-${videoId}`

/** Focuses the card of a video, where it is shown. @returns whether it is */
export function focusCard(videoId: VideoId): boolean {
  const card = document.getElementById(cardId(videoId))
  card?.focus()
  return card !== null
}
