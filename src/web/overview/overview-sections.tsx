import { Button, Group, Stack, Text } from '@mantine/core'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Delivery } from '#contract/deliveries.ts'
import type { Overview } from '#contract/overview.ts'
import type { Post } from '#contract/posts.ts'
import { blockersQuery } from '#web/api/queries.ts'
import { PATHS, postPath } from '#web/lib/paths.ts'
import { useNow } from '#web/lib/use-now.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { Blockers, useExplainedByBlockers } from '#web/posts/blockers.tsx'
import { DeliveryProblem } from '#web/posts/delivery-problem.tsx'
import { FollowUpProblems, needsFollowUp } from '#web/posts/follow-up-problem.tsx'
import { OpenLink, PostTitle } from '#web/posts/post-links.tsx'
import { type Clock, isUnderWay, timeOfPost, titleOf } from '#web/posts/post.ts'
import { sharedFailures, SharedProblem } from '#web/posts/shared-problem.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { lazyExtra } from '#web/ui/lazy-part.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { DeliveryBadge, Status } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { More, OverviewSection, inQueue, moreThan } from './overview-section.tsx'
import classes from './overview.module.css'
import { TwoWeeks } from './two-weeks.tsx'

const WeekNumbers = lazyExtra(() => import('./week-numbers.tsx'))

/** The overview's sections, most urgent first. */
export default function OverviewSections({ overview }: { overview: Overview }) {
  const { first_steps, attention, next, published, days, timezone } = overview
  const zone = useZone()
  const now = useNow()
  return (
    <>
      <Blockers />
      <NeedsAttention attention={attention} zone={zone} now={now} />
      <Checklist done={first_steps} />
      {first_steps.post && (
        <>
          <div className={classes.columns}>
            <ComingUp next={next} zone={zone} now={now} />
            <RecentlyPublished published={published} zone={zone} now={now} />
          </div>
          <Suspense>
            <WeekNumbers />
          </Suspense>
          <TwoWeeks days={days} daysOf={timezone === zone ? null : timezone} />
        </>
      )}
    </>
  )
}

type NeedsAttentionProps = Pick<Overview, 'attention'> & { zone: string; now: number }

const NEEDS_USER: ReadonlySet<Delivery['status']> = new Set(['failed', 'unconfirmed', 'blocked'])
const needsUser = (delivery: Delivery): boolean =>
  (NEEDS_USER.has(delivery.status) && delivery.settled === null) || needsFollowUp(delivery)

/** The posts that need the user; hidden if there are none. */
function NeedsAttention({ attention, zone, now }: NeedsAttentionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isExplained = useExplainedByBlockers()
  const navigate = useNavigate()
  const posts = attention.posts
    .map((post) => ({
      post,
      troubled: post.deliveries.filter((one) => needsUser(one) && !isExplained(one, post)),
      saidOnce: sharedFailures(post),
    }))
    // A live update may have resolved the last of them.
    .filter(({ troubled }) => troubled.length > 0)
  const left = posts.reduce((sum, { troubled }) => sum + troubled.length, 0)
  if (left === 0) return null
  // The whole section disappears with the last one.
  const onActionDone = () => (left > 1 ? heading.current?.focus() : focusPage())
  const morePosts = moreThan(attention)
  return (
    <OverviewSection title="Needs attention" id="needs-attention" heading={heading}>
      <ul className={classes.wide}>
        {posts.map(({ post, troubled, saidOnce }) => (
          <PostLine
            key={post.post_id}
            post={post}
            deliveries={troubled}
            when={timeOfPost(post, { zone, now })}
          >
            {saidOnce.length > 0 && (
              <SharedProblem
                post={post}
                deliveries={saidOnce}
                onShowEach={() => void navigate(postPath(post.post_id))}
                onDone={onActionDone}
              />
            )}
            {troubled
              .filter((delivery) => !saidOnce.includes(delivery))
              .slice(0, ACCOUNTS_SHOWN)
              .map((delivery) => {
                const shared = { delivery, named: troubled.length > 1, onActionDone }
                return needsFollowUp(delivery) ? (
                  <FollowUpProblems key={delivery.delivery_id} {...shared} />
                ) : (
                  <DeliveryProblem
                    key={delivery.delivery_id}
                    {...shared}
                    brandId={post.brand_id}
                    zone={zone}
                  />
                )
              })}
          </PostLine>
        ))}
      </ul>
      {morePosts !== null && <More to={inQueue('attention')}>{morePosts} more in the queue</More>}
    </OverviewSection>
  )
}

type Done = Overview['first_steps']
type Step = keyof Done

/** The steps to the first post; hidden once all are done. */
function Checklist({ done }: { done: Done }) {
  const next = STEPS.find(({ step }) => !done[step])
  if (!next) return null
  // Until an account is linked, the next step is the page's primary action.
  const emphasis = done.account ? 'light' : 'filled'
  return (
    <OverviewSection title="First steps" id="first-steps">
      <ol>
        {STEPS.map(({ step, title, about, to, action }) => (
          <li key={step} className={classes.step} data-done={done[step] || undefined}>
            {done[step] ? <IconCircleCheck {...ICON} size={20} /> : <IconCircle {...ICON} size={20} />}
            <div className={classes.grow}>
              <Text fw={600}>
                {title}
                {done[step] && (
                  <Text span c="dimmed" size="xs" fw={400}>
                    {' '}
                    · done
                  </Text>
                )}
              </Text>
              <Text c="dimmed" size="xs" fw={400}>
                {about}
              </Text>
            </div>
            {!done[step] && (
              <Button size="xs" variant={step === next.step ? emphasis : 'default'} component={Link} to={to}>
                {action}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </OverviewSection>
  )
}

const STEPS: readonly { step: Step; title: string; about: string; to: string; action: string }[] = [
  {
    step: 'brand',
    title: 'Create a brand',
    about: 'It groups the accounts that belong together.',
    to: PATHS.brands,
    action: 'Go to brands',
  },
  {
    step: 'account',
    title: 'Link an account',
    about: 'You allow posting on the platform itself. Reelay never sees your password there.',
    to: PATHS.accounts,
    action: 'Go to accounts',
  },
  {
    step: 'video',
    title: 'Upload a video',
    about: "Reelay checks it against each platform's rules before it goes out.",
    to: PATHS.compose,
    action: 'New post',
  },
  {
    step: 'post',
    title: 'Publish it',
    about: 'Each account gets it exactly once. The queue shows how it went.',
    to: PATHS.compose,
    action: 'New post',
  },
]

function ComingUp({ next, zone, now }: { next: Overview['next'] } & Clock) {
  const posts = withDeliveries(
    next.posts,
    (delivery) => delivery.status === 'scheduled' || isUnderWay(delivery),
  )
  const more = moreThan(next)
  const { data: blockers = [] } = useQuery(blockersQuery)
  const isHeld = blockers.some(({ posts: waiting }) => waiting > 0)
  return (
    <OverviewSection title="Up next" id="goes-out-next">
      {posts.length === 0 ? (
        <Group justify="space-between" gap="0.75rem 1rem" p="1.25rem 1rem" c="dimmed">
          <p>
            {isHeld ? 'Your scheduled posts are waiting: see above what keeps them.' : 'Nothing scheduled.'}
          </p>
        </Group>
      ) : (
        <PostLines posts={posts} clock={{ zone, now }} />
      )}
      {more !== null && <More to={PATHS.queue}>{more} more in the queue</More>}
    </OverviewSection>
  )
}

function RecentlyPublished({ published, zone, now }: { published: readonly Post[] } & Clock) {
  const posts = withDeliveries(published, ({ status }) => status === 'published')
  return (
    <OverviewSection title="Recently published" id="recently-published">
      {posts.length === 0 ? (
        <Group justify="space-between" gap="0.75rem 1rem" p="1.25rem 1rem" c="dimmed">
          <p>Nothing published yet.</p>
          <Button size="xs" variant="default" component={Link} to={PATHS.queue}>
            Go to the queue
          </Button>
        </Group>
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
  delivery.url === null ? <Status status="published" /> : <OpenLink delivery={delivery} url={delivery.url} />

type PostDeliveries = { readonly post: Post; readonly deliveries: readonly Delivery[] }

/** Leaves out posts whose matching deliveries a live update has changed. */
const withDeliveries = (posts: readonly Post[], wanted: (delivery: Delivery) => boolean): PostDeliveries[] =>
  posts
    .map((post) => ({ post, deliveries: post.deliveries.filter(wanted) }))
    .filter(({ deliveries }) => deliveries.length > 0)

/** A post may have a hundred accounts; the queue lists all of them. */
const ACCOUNTS_SHOWN = 3

type PostLineProps = {
  post: Post
  deliveries: readonly Delivery[]
  when: string
  /** The right end of an account's line; its status by default. */
  aside?: (delivery: Delivery) => ReactNode
  children?: ReactNode
}

function PostLine({ post, deliveries, when, aside = statusOf, children }: PostLineProps) {
  const title = titleOf(post)
  const shown = deliveries.slice(0, ACCOUNTS_SHOWN)
  const rest = deliveries.length - shown.length
  return (
    <Stack component="li" gap="0.625rem" px="md" py="sm" aria-label={title}>
      <div className={classes.head}>
        <Thumbnail src={post.video.poster_url} seconds={post.video.duration_s} size="small" />
        <div>
          <PostTitle post={post} Heading="h3" />
          <Text c="dimmed" size="xs" fw={400}>
            {post.brand_title !== null && (
              <>
                <bdi>{post.brand_title}</bdi> ·{' '}
              </>
            )}
            {when}
          </Text>
        </div>
        <div className={classes.deliveries}>
          {shown.map((delivery) => (
            <Group key={delivery.delivery_id} component="p" wrap="nowrap" justify="space-between" gap="1rem">
              <AccountName of={delivery} />
              {aside(delivery)}
            </Group>
          ))}
          {rest > 0 && (
            <Text c="dimmed" size="xs" fw={400}>
              and {rest} more
            </Text>
          )}
        </div>
      </div>
      {children}
    </Stack>
  )
}

const statusOf = (delivery: Delivery) => <DeliveryBadge of={delivery} />
