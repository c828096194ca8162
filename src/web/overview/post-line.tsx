import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Delivery } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { postPath } from '#web/lib/paths.ts'
import { titleOf } from '#web/posts/post.ts'
import { Handle } from '#web/platforms/platform-name.tsx'
import { DeliveryBadge } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import classes from './overview.module.css'

/** A post may have a hundred accounts; the queue shows all. */
export const ACCOUNTS_SHOWN = 3

type Props = {
  post: Post
  /** The deliveries to show. */
  deliveries: readonly Delivery[]
  when: string
  /** The right end of an account's line; its status by default. */
  aside?: (delivery: Delivery) => ReactNode
  /** Shown below. */
  children?: ReactNode
}

/** A post's picture, title, time and one line per account. */
export function PostLine({ post, deliveries, when, aside = statusOf, children }: Props) {
  const title = titleOf(post)
  const shown = deliveries.slice(0, ACCOUNTS_SHOWN)
  const rest = deliveries.length - shown.length
  return (
    <li className={classes.row} aria-label={title}>
      <div className={classes.head}>
        <Thumbnail src={post.video.poster_url} seconds={post.video.duration_s} size="small" />
        <div className={classes.what}>
          <h3 className={classes.name}>
            <Link to={postPath(post.post_id)} className={classes.nameLink}>
              {title}
            </Link>
          </h3>
          <Text c="dimmed" size="xs" fw={400}>
            {[post.brand_title, when].filter((part) => part !== null).join(' · ')}
          </Text>
        </div>
        <div className={classes.deliveries}>
          {shown.map((delivery) => (
            <p key={delivery.delivery_id} className={classes.delivery}>
              <Handle of={delivery} />
              {aside(delivery)}
            </p>
          ))}
          {rest > 0 && (
            <Text c="dimmed" size="xs" fw={400}>
              and {rest} more
            </Text>
          )}
        </div>
      </div>
      {children}
    </li>
  )
}

const statusOf = (delivery: Delivery) => <DeliveryBadge of={delivery} />
