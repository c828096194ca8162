import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post, PostFilter } from '#contract/posts.ts'
import { PATHS } from '#web/paths.ts'
import { titleOf } from '#web/posts/post-title.ts'
import { Card } from '#web/ui/card.tsx'
import { dayAndTime } from '#web/ui/moments.ts'
import { Handle } from '#web/ui/platform-name.tsx'
import { DeliveryBadge } from '#web/ui/status.tsx'
import classes from './overview.module.css'

/** How much an overview shows of each kind; the queue has all of it. */
const SHOWN = 5

type One = { readonly post: Post; readonly delivery: Delivery }

const each = (posts: readonly Post[], wanted: (delivery: Delivery) => boolean): One[] =>
  posts.flatMap((post) => post.deliveries.filter(wanted).map((delivery) => ({ post, delivery })))

const lately = (a: One, b: One): number =>
  Date.parse(b.delivery.updated_at) - Date.parse(a.delivery.updated_at)

const inQueue = (status: PostFilter): string => `${PATHS.queue}?status=${status}`

/** What only the user can settle. Not there when there is nothing. */
export function NeedsYou({ attention, failed }: { attention: readonly Post[]; failed: readonly Post[] }) {
  const held = each(attention, ({ status }) => status === 'unconfirmed' || status === 'blocked')
  const all = [
    ...held.toSorted(lately),
    ...each(failed, ({ status }) => status === 'failed').toSorted(lately),
  ]
  if (all.length === 0) return null
  return (
    <Part title="Needs attention" id="needs-attention">
      <ul className={classes.list}>
        {all.slice(0, SHOWN).map(({ post, delivery }) => (
          <li key={delivery.delivery_id} className={classes.row}>
            <div className={classes.grow}>
              <p className={classes.name}>{titleOf(post)}</p>
              <p className={classes.muted}>{delivery.reason?.message}</p>
            </div>
            <Handle of={delivery} />
            <DeliveryBadge of={delivery} />
            <Button
              size="xs"
              variant="default"
              component={Link}
              to={inQueue(delivery.status === 'failed' ? 'failed' : 'attention')}
              aria-label={`See what to do: ${titleOf(post)}, ${accountName(delivery)}`}
            >
              See what to do
            </Button>
          </li>
        ))}
      </ul>
      {all.length > SHOWN && <More to={inQueue('attention')}>{all.length - SHOWN} more in the queue</More>}
    </Part>
  )
}

export function ComingUp({ posts, zone }: { posts: readonly Post[]; zone: string }) {
  const next = posts
    .map((post) => ({ post, waiting: post.deliveries.filter(({ status }) => status === 'scheduled') }))
    // Live news may have moved the last of them on.
    .filter(({ waiting }) => waiting.length > 0)
    .toSorted((a, b) => firstDue(a.waiting) - firstDue(b.waiting))
  return (
    <Part title="Goes out next" id="goes-out-next">
      {next.length === 0 ? (
        <p className={classes.nothing}>Nothing waits for its time.</p>
      ) : (
        <ul className={classes.list}>
          {next.slice(0, SHOWN).map(({ post, waiting }) => (
            <li key={post.post_id} className={classes.row}>
              <div className={classes.grow}>
                <p className={classes.name}>{titleOf(post)}</p>
                <p className={classes.muted}>{dayAndTime(new Date(firstDue(waiting)).toISOString(), zone)}</p>
              </div>
              <div className={classes.handles}>
                {waiting.map((delivery) => (
                  <Handle key={delivery.delivery_id} of={delivery} />
                ))}
              </div>
            </li>
          ))}
        </ul>
      )}
      {next.length > SHOWN && <More to={inQueue('scheduled')}>All that is scheduled</More>}
    </Part>
  )
}

export function RecentlyPublished({ posts, zone }: { posts: readonly Post[]; zone: string }) {
  const live = each(posts, ({ status }) => status === 'published').toSorted(lately)
  return (
    <Part title="Recently published" id="recently-published">
      {live.length === 0 ? (
        <p className={classes.nothing}>Nothing has been published yet.</p>
      ) : (
        <ul className={classes.list}>
          {live.slice(0, SHOWN).map(({ post, delivery }) => (
            <li key={delivery.delivery_id} className={classes.row}>
              <div className={classes.grow}>
                <p className={classes.name}>{titleOf(post)}</p>
                <p className={classes.muted}>
                  {delivery.published_at !== null && dayAndTime(delivery.published_at, zone)}
                  {delivery.url !== null && (
                    <>
                      {' · '}
                      <a href={delivery.url} target="_blank" rel="noreferrer">
                        Open on {PLATFORM_NAMES[delivery.platform]}
                      </a>
                    </>
                  )}
                </p>
              </div>
              <Handle of={delivery} />
            </li>
          ))}
        </ul>
      )}
      {live.length > SHOWN && <More to={inQueue('published')}>All that was published</More>}
    </Part>
  )
}

function Part({ title, id, children }: { title: string; id: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={classes.title}>
        {title}
      </h2>
      <Card flush>{children}</Card>
    </section>
  )
}

const More = ({ to, children }: { to: string; children: ReactNode }) => (
  <p className={classes.more}>
    <Link to={to}>{children}</Link>
  </p>
)

/** Epoch ms. What is to be tried again has a time too; what starts now has none. */
const firstDue = (waiting: readonly Delivery[]): number =>
  Math.min(...waiting.map(({ due_at }) => (due_at === null ? Date.now() : Date.parse(due_at))))
