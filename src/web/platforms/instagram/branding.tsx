import { TEXTS } from '#contract/texts.ts'
import { LineDrawing } from '#web/ui/line-drawing.tsx'

export const instagramProcessing = TEXTS.processingInstagram

/** Our own plain drawing: a frame with a lens. */
export const InstagramMark = () => (
  <LineDrawing>
    <rect x="4" y="4" width="16" height="16" rx="4" />
    <circle cx="12" cy="12" r="3.4" />
    <path d="M16.4 7.6h.01" />
  </LineDrawing>
)
