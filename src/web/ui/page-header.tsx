import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './page-foot.module.css'
import { usePageTitle } from './page-title.ts'

type Props = {
  title: string
  /** A few words beside the title, such as a count. */
  note?: ReactNode
  /** The page's one primary action; on a phone it sticks to the bottom. */
  action?: ReactNode
  /** Beside the action: a secondary button or a short note. */
  aside?: ReactNode
}

/** The header of every dashboard page. It also sets the document title. */
export function PageHeader({ title, note, action, aside }: Props) {
  usePageTitle(title)
  return (
    <Group component="header" justify="space-between" gap="0.75rem 1rem" mih="2.25rem" mb="1.25rem">
      <Group align="baseline" wrap="nowrap" gap="sm">
        <h1 dir="auto">{title}</h1>
        {note !== undefined && <Text c="dimmed">{note}</Text>}
      </Group>
      <Group wrap="nowrap" gap="xs" c="dimmed" fz="xs">
        {aside}
        {action !== undefined && <div className={classes.action}>{action}</div>}
      </Group>
    </Group>
  )
}
