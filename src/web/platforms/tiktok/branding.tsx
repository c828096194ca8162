import { TEXTS } from '#contract/texts.ts'
import { LineDrawing } from '#web/ui/line-drawing.tsx'

export const tiktokProcessing = TEXTS.processingTiktok

/** Our own plain drawing: a note on a stem. */
export const TikTokMark = () => (
  <LineDrawing>
    <path d="M13 4v11.5a4 4 0 1 1-4-4" />
    <path d="M13 4c.4 3 2.6 5 6 5.2" />
  </LineDrawing>
)
