import { TEXTS } from '#contract/texts.ts'

export const instagramProcessing = TEXTS.processingInstagram

/** Our own plain drawing: a frame with a lens. */
export function InstagramMark() {
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
    >
      <rect x="4" y="4" width="16" height="16" rx="4" />
      <circle cx="12" cy="12" r="3.4" />
      <path d="M16.4 7.6h.01" />
    </svg>
  )
}
