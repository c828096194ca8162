import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Delivery } from '#contract/deliveries.ts'
import type { Overview } from '#contract/overview.ts'
import type { Post } from '#contract/posts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { OpenLink } from '#web/posts/open-link.tsx'
import { type Clock, isUnderWay, timeOfPost } from '#web/posts/post.ts'
import { Status } from '#web/ui/status.tsx'
import classes from './overview.module.css'
import { inQueue, More, moreThan, OverviewSection } from './overview-section.tsx'
import { PostLine } from './post-line.tsx'

export function ComingUp({ next, zone, now }: { next: Overview['next'] } & Clock) {
  const posts = withDeliveries(
    next.posts,
    (delivery) => delivery.status === 'scheduled' || isUnderWay(delivery),
  )
  const more = moreThan(next)
  return (
    <OverviewSection title="Up next" id="goes-out-next">
      {posts.length === 0 ? (
        <div className={classes.nothing}>
          <p>Nothing scheduled.</p>
        </div>
      ) : (
        <PostLines posts={posts} clock={{ zone, now }} />
      )}
      {more !== null && <More to={PATHS.queue}>{more} more in the queue</More>}
    </OverviewSection>
  )
}

export function RecentlyPublished({ published, zone, now }: { published: readonly Post[] } & Clock) {
  const posts = withDeliveries(published, ({ status }) => status === 'published')
  return (
    <OverviewSection title="Recently published" id="recently-published">
      {posts.length === 0 ? (
        <div className={classes.nothing}>
          <p>Nothing published yet.</p>
          <Button size="xs" variant="default" component={Link} to={PATHS.queue}>
            Go to the queue
          </Button>
        </div>
      ) : (
        <>
          <PostLines posts={posts} clock={{ zone, now }} aside={openOn} />
          <More to={inQueue('published')}>View all published</More>
        </>
      )}
    </OverviewSection>
  )
}

type PostLinesProps = {
  posts: readonly PostDeliveries[]
  clock: Clock
  aside?: (delivery: Delivery) => ReactNode
}

const PostLines = ({ posts, clock, ...line }: PostLinesProps) => (
  <ul>
    {posts.map(({ post, deliveries }) => (
      <PostLine
        key={post.post_id}
        post={post}
        deliveries={deliveries}
        when={timeOfPost(post, clock)}
        {...line}
      />
    ))}
  </ul>
)

const openOn = (delivery: Delivery) =>
  delivery.url === null ? (
    <Status status="published" />
  ) : (
    <OpenLink delivery={delivery} url={delivery.url} className={classes.open} />
  )

type PostDeliveries = { readonly post: Post; readonly deliveries: readonly Delivery[] }

/** Leaves out posts whose matching deliveries a live update has changed. */
const withDeliveries = (posts: readonly Post[], wanted: (delivery: Delivery) => boolean): PostDeliveries[] =>
  posts
    .map((post) => ({ post, deliveries: post.deliveries.filter(wanted) }))
    .filter(({ deliveries }) => deliveries.length > 0)
