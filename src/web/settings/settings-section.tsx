import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '#web/ui/card.tsx'
import classes from './settings.module.css'

type Props = {
  title: string
  about: string
  /** Rows with lines between them, instead of fields. */
  rows?: boolean
  children: ReactNode
}

/** One section of the settings: its title beside its controls. */
export function Section({ title, about, rows = false, children }: Props) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <h2>{title}</h2>
        <Text c="dimmed" size="xs" mt="0.25rem">
          {about}
        </Text>
      </div>
      <Card flush={rows} className={rows ? classes.rows : classes.fields}>
        {children}
      </Card>
    </section>
  )
}

type RowProps = {
  title: string
  children?: ReactNode
  /** Buttons at the end of its line. */
  actions?: ReactNode
  /** The opened form or message. */
  below?: ReactNode
}

export function Row({ title, children, actions, below }: RowProps) {
  return (
    <div className={classes.row}>
      <Group gap="0.75rem 1rem">
        <div className={classes.what}>
          <h3 className={classes.name}>{title}</h3>
          {children}
        </div>
        {actions !== undefined && (
          <Group align="stretch" gap="xs">
            {actions}
          </Group>
        )}
      </Group>
      {below}
    </div>
  )
}
