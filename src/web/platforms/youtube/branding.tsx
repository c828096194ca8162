import { LineDrawing } from '#web/ui/line-drawing.tsx'

export const youtubeProcessing = 'Processing YouTube sign-in...'

/** Our own plain drawing: a screen with a play triangle. */
export const YouTubeMark = () => (
  <LineDrawing>
    <rect x="3" y="5.5" width="18" height="13" rx="4" />
    <path d="M10.4 9.4v5.2l4.4-2.6z" />
  </LineDrawing>
)
