import { TEXTS } from '#contract/texts.ts'

export const tiktokProcessing = TEXTS.processingTiktok

/** Our own plain drawing: a note on a stem. */
export function TikTokMark() {
  return (
    <svg
      viewBox="0 0 24 24"
      width="18"
      height="18"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d="M13 4v11.5a4 4 0 1 1-4-4" />
      <path d="M13 4c.4 3 2.6 5 6 5.2" />
    </svg>
  )
}
