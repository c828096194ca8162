import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ConnectionState } from '#web/api/live.ts'
import { NewPostLink } from '#web/ui/new-post-link.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import type { SpokenOutcome } from './use-live-posts.ts'

type Props = {
  title: string
  link: ConnectionState
  outcomes: readonly SpokenOutcome[]
  /** Beside the title, while the connection works. */
  aside?: ReactNode
  first?: boolean
  action?: ReactNode
}

/** The header of a page with live posts: shows a lost connection and reads out new outcomes. */
export function LiveHeader({ title, link, outcomes, aside, first = true, action }: Props) {
  return (
    <>
      <PageHeader
        title={title}
        aside={link === 'reconnecting' ? <output>Reconnecting…</output> : aside}
        action={action ?? <NewPostLink variant={first ? 'filled' : 'default'} />}
      />
      <VisuallyHidden component="output" aria-atomic="false" aria-label="Updates">
        {outcomes.map(({ id, text }) => (
          <span key={id}>{text}. </span>
        ))}
      </VisuallyHidden>
    </>
  )
}
