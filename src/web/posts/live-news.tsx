import { VisuallyHidden } from '@mantine/core'
import type { Said } from '#web/use-live-posts.ts'

/** Reads out what became of posts while the page is open. */
export const LiveNews = ({ said }: { said: readonly Said[] }) => (
  <VisuallyHidden component="output" aria-atomic="false" aria-label="News">
    {said.map(({ id, text }) => (
      <span key={id}>{text}. </span>
    ))}
  </VisuallyHidden>
)
