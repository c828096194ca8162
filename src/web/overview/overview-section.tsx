import { Box } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { Link } from 'react-router'
import { OVERVIEW_COUNTED_MAX } from '#contract/limits.ts'
import type { PostCount } from '#contract/posts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { Card } from '#web/ui/card.tsx'
import classes from './overview.module.css'

type Props = {
  title: string
  id: string
  /** Can take the focus when the focused element is removed. */
  heading?: Ref<HTMLHeadingElement>
  children: ReactNode
}

export function OverviewSection({ title, id, heading, children }: Props) {
  return (
    <section aria-labelledby={id}>
      <Box component="h2" id={id} mb="xs" ref={heading} tabIndex={-1}>
        {title}
      </Box>
      <Card flush>{children}</Card>
    </section>
  )
}

export const More = ({ to, children }: { to: string; children: ReactNode }) => (
  <p className={classes.more}>
    <Link to={to}>{children}</Link>
  </p>
)

/** The number of entries not shown, such as "12" or "95+"; null: none. */
export function moreThan({ posts, total }: { posts: readonly unknown[]; total: number }): string | null {
  if (total <= posts.length) return null
  return total < OVERVIEW_COUNTED_MAX
    ? String(total - posts.length)
    : `${OVERVIEW_COUNTED_MAX - posts.length}+`
}

export const inQueue = (status: PostCount): string => `${PATHS.queue}?status=${status}`
