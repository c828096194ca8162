import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './ui.module.css'

type Props = {
  /** The title says in bold what happened; the children say what follows and what to do. */
  title?: string
  children?: ReactNode
  tone?: 'failed' | 'attention' | 'held' | 'note'
  actions?: ReactNode
  /** Read out by screen readers at once. False for content that was there when the page loaded. */
  live?: boolean
}

/** An inline error, warning or note, under the thing it is about. */
export function InlineAlert({ title, children, tone = 'failed', actions, live = true }: Props) {
  return (
    <div
      className={classes.alert}
      style={{ background: `var(--r-${tone === 'note' ? 'accent' : tone}-soft)` }}
      {...(live && { role: 'alert' })}
    >
      <div>
        {title !== undefined && <strong>{title}</strong>} {children}
      </div>
      {actions !== undefined && (
        <Group gap="xs" maw="100%">
          {actions}
        </Group>
      )}
    </div>
  )
}
