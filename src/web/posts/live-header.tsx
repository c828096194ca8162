import { Button, VisuallyHidden } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ConnectionState } from '#web/api/live.ts'
import { PATHS } from '#web/lib/paths.ts'
import { ICON } from '#web/ui/icons.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import classes from './posts.module.css'
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
        action={
          action ?? (
            <Button
              component={Link}
              className={classes.newPost ?? ''}
              to={PATHS.compose}
              variant={first ? 'filled' : 'default'}
              leftSection={<IconPlus {...ICON} />}
            >
              New post
            </Button>
          )
        }
      />
      <VisuallyHidden component="output" aria-atomic="false" aria-label="Updates">
        {outcomes.map(({ id, text }) => (
          <span key={id}>{text}. </span>
        ))}
      </VisuallyHidden>
    </>
  )
}
