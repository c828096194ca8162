import { useQuery } from '@tanstack/react-query'
import { Button, Progress, VisuallyHidden } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { IconChevronDown, IconExternalLink } from '@tabler/icons-react'
import { type ReactNode, type RefObject, memo, useRef, useState } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import type { PostId } from '#contract/ids.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import { formatSentBytes, formatDuration, percent } from '#web/lib/amounts.ts'
import { timeOfDay } from '#web/lib/moments.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { AccountName } from '#web/platforms/account-name.tsx'
import { accountsQuery, brandsQuery } from '#web/api/queries.ts'
import { BareCheckbox, isWithShift } from '#web/ui/bare-checkbox.tsx'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { Badge, DeliveryBadge } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import type { IsExplained } from './blockers.tsx'
import { DeliveryProblem, hasProblem } from './delivery-problem.tsx'
import { FollowUpProblems, hasFollowUpProblem } from './follow-up-problem.tsx'
import { InboxNote, isInInbox } from './inbox-note.tsx'
import { PostQuestion } from './post-question.tsx'
import { summarize, worstFirst } from './post-summary.ts'
import { PostTitle } from './post-links.tsx'
import classes from './posts.module.css'
import { hasDays, namedTimes, timesOfDay, titleOf } from './post.ts'
import { PostMenu, type Question } from './post-menu.tsx'
import { sharedFailures, SharedProblem } from './shared-problem.tsx'
import { Timeline } from './timeline.tsx'

/** The open part of a row. The screen holds it, because a row remounts when it moves to another section. */
export type Opened = {
  readonly timeline: boolean
  readonly accounts: boolean
  /** All problems are shown, not only the first few of each kind. */
  readonly problems: boolean
  readonly question: Question | null
}
export type OpenedRows = {
  readonly of: (postId: PostId) => Opened
  readonly set: (postId: PostId, opened: Partial<Opened>) => void
}

type Props = {
  post: Post
  zone: string
  now: number
  /** Whether the row shows its day, because it has no day heading. */
  isDated: boolean
  isFirst: boolean
  isLast: boolean
  rows: OpenedRows
  isExplained: IsExplained
  isSelected: boolean
  onSelect: Selecting['onSelect']
}

/** `onSelect` stays the same function, so that only rows that change render again. */
export type Selecting = {
  readonly selected: ReadonlyMap<PostId, Post>
  /** `isRange`: selects all from the last selected post to this one. */
  readonly onSelect: (post: Post, isRange: boolean) => void
}

/** The virtual list sets the position. */
export type RowPosition = {
  readonly index: number
  readonly startPx: number
  readonly measure: (element: HTMLElement | null) => void
}

export const rowId = (postId: PostId): string => `post-${postId}`

export const focusPost = (postId: PostId): void =>
  document.getElementById(rowId(postId))?.focus({ preventScroll: true })

/** Shows and focuses a post that was just made. */
export function showPost(postId: PostId): void {
  const row = document.getElementById(rowId(postId))
  row?.scrollIntoView({ block: 'center' })
  row?.focus({ preventScroll: true })
}

/** Moves the focus of a removed row to the next row, else the previous one, else the page. */
function focusBeside(postId: PostId): void {
  const rows = [...document.querySelectorAll<HTMLElement>('li[id^="post-"]')]
  const at = rows.findIndex(({ id }) => id === rowId(postId))
  const beside = rows[at + 1] ?? rows[at - 1]
  if (beside) beside.focus()
  else focusPage()
}

/** One post in one line, which opens to its accounts; what needs the user is below. Scrolling renders no other row again. */
export const PostRow = memo(function PostRow(props: Props & RowPosition) {
  const { post, zone, now, isDated, isFirst, isLast, rows, index, startPx, measure } = props
  const { isExplained, isSelected, onSelect } = props
  const { timeline, accounts } = rows.of(post.post_id)
  const setTimeline = (open: boolean) => rows.set(post.post_id, { timeline: open })
  const ask = (next: Question) => rows.set(post.post_id, { question: next })
  const more = useRef<HTMLButtonElement>(null)
  const title = titleOf(post)
  // A dated row has no day heading above it, so its own heading is one level higher.
  const [Heading, TimelineHeading] = isDated ? (['h3', 'h4'] as const) : (['h4', 'h5'] as const)
  return (
    <li
      ref={measure}
      data-index={index}
      data-first={isFirst || undefined}
      data-last={isLast || undefined}
      data-selected={isSelected || undefined}
      className={`${classes.entry} ${classes.post}`}
      style={{ transform: `translateY(${startPx}px)` }}
      id={rowId(post.post_id)}
      tabIndex={-1}
      aria-label={title}
    >
      <div className={classes.head}>
        <div className={classes.picture}>
          <Thumbnail src={post.video.poster_url} size="small" />
          <BareCheckbox
            className={classes.check}
            aria-label={`Select ${title}`}
            checked={isSelected}
            onChange={(event) => onSelect(post, isWithShift(event))}
          />
        </div>
        <PostTitle post={post} Heading={Heading} />
        <div className={classes.facts} data-alone={post.deliveries.length === 1 || undefined}>
          <BrandName post={post} />
          <Platforms deliveries={post.deliveries} />
          <State
            post={post}
            title={title}
            zone={zone}
            now={now}
            opened={accounts}
            onToggle={() => rows.set(post.post_id, { accounts: !accounts })}
          />
          <span className={classes.time}>
            {isDated || hasDays(post, zone) ? namedTimes(post, { zone, now }) : timesOfDay(post, zone)}
          </span>
        </div>
        <PostMenu
          button={more}
          post={post}
          title={title}
          timeline={{ isShown: timeline, onToggle: () => setTimeline(!timeline) }}
          onAsk={ask}
        />
      </div>
      <div className={classes.below}>
        {accounts && post.deliveries.length > 1 && (
          <ul className={classes.deliveries} id={`accounts-of-${post.post_id}`} aria-label="Accounts">
            {worstFirst(post.deliveries).map((delivery) => (
              <li key={delivery.delivery_id} className={classes.delivery}>
                <AccountName of={delivery} />
                <DeliveryBadge of={delivery} />
                <span className={classes.aside}>{formatAside({ delivery, zone, now })}</span>
              </li>
            ))}
          </ul>
        )}
        <RowPanels
          post={post}
          zone={zone}
          now={now}
          rows={rows}
          isExplained={isExplained}
          menu={more}
          TimelineHeading={TimelineHeading}
        />
      </div>
    </li>
  )
})

/** The brand of all accounts, or how many brands they have. */
function BrandName({ post: { brand_id, brand_title, deliveries } }: Pick<Props, 'post'>) {
  const { data: brands } = useQuery(brandsQuery)
  const { data: accounts } = useQuery({ ...accountsQuery(), enabled: brand_id === null })
  if (brand_id === null) {
    const ids = new Set(deliveries.map(({ account_id }) => account_id))
    const brandIds = new Set(accounts?.filter((one) => ids.has(one.account_id)).map((one) => one.brand_id))
    const titles = brands?.filter((one) => brandIds.has(one.brand_id)).map(({ title }) => title) ?? []
    return (
      <span className={classes.brand} title={titles.length > 1 ? titles.join(', ') : undefined}>
        {/* Unlinked accounts belong to no brand that can be named. */}
        {titles.length > 1 && <span>{titles.length} brands</span>}
      </span>
    )
  }
  const brand = brands?.find((one) => one.brand_id === brand_id)
  return (
    <span className={classes.brand} title={brand_title ?? undefined}>
      {brand && <BrandMark {...brandLook(brand)} size="small" />}
      {brand_title !== null && <bdi>{brand_title}</bdi>}
    </span>
  )
}

type PanelsProps = Pick<Props, 'post' | 'zone' | 'now' | 'rows' | 'isExplained'> & {
  menu: RefObject<HTMLButtonElement | null>
  TimelineHeading: 'h4' | 'h5'
}

function RowPanels({ post, zone, now, rows, isExplained, menu, TimelineHeading }: PanelsProps) {
  const { timeline, problems, question } = rows.of(post.post_id)
  const folding = {
    opened: problems,
    onToggle: () => rows.set(post.post_id, { problems: !problems }),
  }
  const shared = sharedFailures(post)
  const isSaidOnce = shared.length > 0 && !problems
  const several = post.deliveries.length > 1
  const focusMenu = () => menu.current?.focus()
  return (
    <>
      {isSaidOnce && (
        <SharedProblem post={post} deliveries={shared} onShowEach={folding.onToggle} onDone={focusMenu} />
      )}
      <Foldable {...folding} canFold={shared.length > 0}>
        {post.deliveries
          .filter(
            (delivery) =>
              hasProblem(delivery) &&
              !isExplained(delivery, post) &&
              !(isSaidOnce && shared.includes(delivery)),
          )
          .map((delivery) => (
            <DeliveryProblem
              key={delivery.delivery_id}
              delivery={delivery}
              brandId={post.brand_id}
              named={several}
              zone={zone}
              onActionDone={focusMenu}
            />
          ))}
      </Foldable>
      <Foldable {...folding}>
        {post.deliveries.filter(isInInbox).map((delivery) => (
          <InboxNote key={delivery.delivery_id} delivery={delivery} named={several} now={now} />
        ))}
      </Foldable>
      <Foldable {...folding}>
        {post.deliveries.filter(hasFollowUpProblem).map((delivery) => (
          <FollowUpProblems
            key={delivery.delivery_id}
            delivery={delivery}
            named={several}
            onActionDone={focusMenu}
          />
        ))}
      </Foldable>
      <PostQuestion
        question={question}
        post={post}
        zone={zone}
        now={now}
        asker={menu}
        onKeep={() => rows.set(post.post_id, { question: null })}
        onDone={() => {
          rows.set(post.post_id, { question: null })
          focusMenu()
        }}
        onDeleted={() => focusBeside(post.post_id)}
      />
      {timeline && (
        <div id={`timeline-${post.post_id}`}>
          <Timeline
            post={post}
            Heading={TimelineHeading}
            zone={zone}
            onClose={() => {
              rows.set(post.post_id, { timeline: false })
              focusMenu()
            }}
          />
        </div>
      )}
    </>
  )
}

/** More than so many of a kind are folded. */
const SHOWN_OF_A_KIND = 3

type FoldableProps = {
  opened: boolean
  onToggle: () => void
  /** Also few of them fold once they were opened. */
  canFold?: boolean
  children: readonly ReactNode[]
}

function Foldable({ opened, onToggle, canFold = false, children }: FoldableProps) {
  const folded = children.length - SHOWN_OF_A_KIND
  if (folded <= 0 && !(canFold && opened)) return children
  return (
    <>
      {opened ? children : children.slice(0, SHOWN_OF_A_KIND)}
      <Button size="xs" variant="default" onClick={onToggle} aria-expanded={opened} mr="auto">
        {opened ? 'Show fewer' : `Show ${folded} more`}
      </Button>
    </>
  )
}

type DeliveryLineProps = { delivery: Delivery; zone: string; now: number }

/** The one account, or how many there are on each platform. */
function Platforms({ deliveries }: Pick<Post, 'deliveries'>) {
  const [first, second] = deliveries
  if (first && !second) return <AccountName of={first} />
  return (
    <span className={classes.platforms}>
      {PLATFORM_IDS.map((platform) => {
        const { Mark } = PLATFORM_BRANDING[platform]
        const count = deliveries.filter((delivery) => delivery.platform === platform).length
        if (count === 0) return null
        return (
          <span key={platform} title={PLATFORM_NAMES[platform]}>
            <Mark />
            <VisuallyHidden>{PLATFORM_NAMES[platform]} </VisuallyHidden>
            {count}
          </span>
        )
      })}
    </span>
  )
}

type StateProps = Pick<Props, 'post' | 'zone' | 'now'> & {
  title: string
  opened: boolean
  onToggle: () => void
}

/** The state of the one account, or of all in one sum, which opens the list of them. */
function State({ post, title, zone, now, opened, onToggle }: StateProps) {
  const [first, second] = post.deliveries
  if (first && !second)
    return (
      <span className={classes.state}>
        <DeliveryBadge of={first} />
        <span className={classes.aside}>{formatAside({ delivery: first, zone, now })}</span>
      </span>
    )
  const { look, rest } = summarize(post.deliveries)
  return (
    <button
      type="button"
      className={classes.state}
      onClick={onToggle}
      aria-expanded={opened}
      aria-controls={opened ? `accounts-of-${post.post_id}` : undefined}
      aria-label={`${look.word}${rest}: accounts of ${title}`}
    >
      <Badge {...look} />
      <span className={classes.aside}>{rest}</span>
      <IconChevronDown {...ICON} size={16} />
    </button>
  )
}

function formatAside({ delivery, zone, now }: DeliveryLineProps) {
  const {
    status,
    progress,
    reason,
    cause,
    paused,
    url,
    platform,
    due_at,
    published_at,
    in_inbox_at,
    updated_at,
  } = delivery
  switch (status) {
    case 'preparing':
      if (reason !== null) return nextTry(due_at, now)
      return progress !== null && <Sent progress={progress} at={updated_at} name={accountName(delivery)} />
    case 'scheduled': {
      if (paused !== null) return null
      if (reason?.pause) return nextTry(due_at, now)
      const left = due_at === null ? 0 : Date.parse(due_at) - now
      return left > 0 ? `in ${formatDuration(left / 1000)}` : 'starting now'
    }
    case 'blocked':
      return cause === 'missed' || cause === 'restored' ? null : nextTry(due_at, now)
    case 'published':
      return url !== null ? (
        <a href={url} target="_blank" rel="noreferrer" className={classes.open}>
          Open on {PLATFORM_NAMES[platform]}
          <IconExternalLink {...ICON} size={14} />
        </a>
      ) : (
        published_at !== null && `at ${timeOfDay(published_at, zone)}`
      )
    case 'in_inbox':
      return in_inbox_at !== null && `since ${timeOfDay(in_inbox_at, zone)}`
    case 'committing':
    case 'processing':
    case 'failed':
    case 'unconfirmed':
    case 'cancelled':
      return null
  }
}

const nextTry = (due: string | null, now: number): string | null =>
  due !== null && Date.parse(due) > now
    ? `next try in ${formatDuration((Date.parse(due) - now) / 1000)}`
    : null

type SentProps = { progress: { sent: number; total: number }; at: string; name: string }

/** Upload progress, and the time left at the speed measured since this line was first shown. */
function Sent({ progress: { sent, total }, at, name }: SentProps) {
  const [first] = useState({ sent, at })
  const seconds = (Date.parse(at) - Date.parse(first.at)) / 1000
  const perSecond = seconds > 0 ? (sent - first.sent) / seconds : 0
  return (
    <>
      <Progress
        value={percent(sent, total)}
        size={4}
        color="var(--r-working)"
        mb="0.125rem"
        aria-label={`Sent for ${name}`}
      />
      {formatSentBytes(sent, total)}
      {perSecond > 0 && sent < total && ` · ${formatDuration((total - sent) / perSecond)}`}
    </>
  )
}
