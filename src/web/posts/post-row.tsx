import { Text } from '@mantine/core'
import { memo, useRef, type RefObject } from 'react'
import { Link } from 'react-router'
import type { PostId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import { CancelQuestion } from './cancel-question.tsx'
import { DeleteQuestion } from './delete-question.tsx'
import { DeliveryProblem, hasProblem } from './delivery-problem.tsx'
import { FollowUpProblems, hasFollowUpProblem } from './follow-up-problem.tsx'
import { InboxNote, isInInbox } from './inbox-note.tsx'
import { timeOfPost, titleOf } from './post.ts'
import { Timeline } from './timeline.tsx'
import { BareCheckbox } from '#web/ui/bare-checkbox.tsx'
import { postPath } from '#web/lib/paths.ts'
import { focusPage } from '#web/ui/page-region.ts'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { DeliveryLine } from './delivery-line.tsx'
import classes from './post-list.module.css'
import { PlaceQuestion, queueOf } from './place-question.tsx'
import type { Placed } from './placed.tsx'
import { RowMenu, type Question } from './row-menu.tsx'

/** What is open in a row. The screen holds it, because a row remounts when it moves to another section. */
export type Opened = {
  readonly timeline: boolean
  /** The open confirmation. */
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
  /** In its card. */
  isFirst: boolean
  isLast: boolean
  rows: OpenedRows
  isSelected: boolean
  onSelect: Selecting['onSelect']
}

/** Its functions stay the same, so that only the rows that change are rendered again. */
export type Selecting = {
  readonly selected: ReadonlyMap<PostId, Post>
  /** `isRange`: with all between the last one and this. */
  readonly onSelect: (post: Post, isRange: boolean) => void
}

export const placeOf = (postId: PostId): string => `post-${postId}`

export const focusPost = (postId: PostId): void =>
  document.getElementById(placeOf(postId))?.focus({ preventScroll: true })

/** Shows and focuses a post that was just made. */
export function showPost(postId: PostId): void {
  const row = document.getElementById(placeOf(postId))
  row?.scrollIntoView({ block: 'center' })
  row?.focus({ preventScroll: true })
}

/** Moves the focus of a removed row to the next row, else the previous one, else the page. */
function focusBeside(postId: PostId): void {
  const rows = [...document.querySelectorAll<HTMLElement>('li[id^="post-"]')]
  const at = rows.findIndex(({ id }) => id === placeOf(postId))
  const beside = rows[at + 1] ?? rows[at - 1]
  if (beside) beside.focus()
  else focusPage()
}

/** One post, with the status and the actions of each account. Scrolling renders no other row again. */
export const PostRow = memo(function PostRow(props: Props & Placed) {
  const { post, zone, now, isDated, isFirst, isLast, rows, index, startPx, measure } = props
  const { isSelected, onSelect } = props
  const { timeline } = rows.of(post.post_id)
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
      id={placeOf(post.post_id)}
      tabIndex={-1}
      aria-label={title}
    >
      <div className={classes.head}>
        <div className={classes.picture}>
          <Thumbnail src={post.video.poster_url} seconds={post.video.duration_s} />
          <BareCheckbox
            className={classes.check}
            aria-label={`Select ${title}`}
            checked={isSelected}
            // With the Shift key it is a click that says so, also by keyboard.
            onChange={({ nativeEvent }) =>
              onSelect(post, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </div>
        <div className={classes.what}>
          <Heading className={classes.title}>
            <Link to={postPath(post.post_id)} className={classes.titleLink}>
              {title}
            </Link>
          </Heading>
          <Text c="dimmed" size="xs">
            {[post.brand_title, timeOfPost(post, { zone, now }, isDated ? 'no day' : 'day')]
              .filter((part) => part !== null)
              .join(' · ')}
          </Text>
        </div>
        <ul className={classes.deliveries} aria-label="Accounts">
          {post.deliveries.map((delivery) => (
            <DeliveryLine key={delivery.delivery_id} delivery={delivery} zone={zone} now={now} />
          ))}
        </ul>
        <RowMenu
          button={more}
          post={post}
          title={title}
          opened={timeline}
          onTimeline={() => setTimeline(!timeline)}
          onAsk={ask}
        />
      </div>
      <RowPanels
        post={post}
        zone={zone}
        now={now}
        rows={rows}
        menu={more}
        TimelineHeading={TimelineHeading}
      />
    </li>
  )
})

type PanelsProps = Pick<Props, 'post' | 'zone' | 'now' | 'rows'> & {
  menu: RefObject<HTMLButtonElement | null>
  TimelineHeading: 'h4' | 'h5'
}

/** Below a row: its problems, the open confirmation and the timeline. */
function RowPanels({ post, zone, now, rows, menu, TimelineHeading }: PanelsProps) {
  const { timeline } = rows.of(post.post_id)
  const several = post.deliveries.length > 1
  const focusMenu = () => menu.current?.focus()
  return (
    <>
      {post.deliveries.filter(hasProblem).map((delivery) => (
        <div key={delivery.delivery_id} className={classes.below}>
          <DeliveryProblem
            delivery={delivery}
            brandId={post.brand_id}
            named={several}
            zone={zone}
            onActionDone={focusMenu}
          />
        </div>
      ))}
      {post.deliveries.filter(isInInbox).map((delivery) => (
        <div key={`inbox of ${delivery.delivery_id}`} className={classes.below}>
          <InboxNote delivery={delivery} named={several} now={now} />
        </div>
      ))}
      {post.deliveries.filter(hasFollowUpProblem).map((delivery) => (
        <div key={`follow-ups of ${delivery.delivery_id}`} className={classes.below}>
          <FollowUpProblems delivery={delivery} named={several} onActionDone={focusMenu} />
        </div>
      ))}
      <RowQuestion post={post} zone={zone} now={now} rows={rows} menu={menu} />
      {timeline && (
        <div className={classes.below} id={`timeline-${post.post_id}`}>
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

/** The confirmation that is open in a row. */
function RowQuestion({ post, zone, now, rows, menu }: Omit<PanelsProps, 'TimelineHeading'>) {
  const { question } = rows.of(post.post_id)
  const several = post.deliveries.length > 1
  const asking = post.deliveries.find(({ delivery_id }) => delivery_id === question)
  const queueId = queueOf(post)
  const closeQuestion = () => rows.set(post.post_id, { question: null })
  const close = () => {
    closeQuestion()
    menu.current?.focus()
  }
  return (
    <>
      {asking && (
        <div className={classes.below}>
          <CancelQuestion
            key={asking.delivery_id}
            delivery={asking}
            named={several}
            asker={menu}
            onKeep={closeQuestion}
            onCancelled={close}
          />
        </div>
      )}
      {(question === 'top' || question === 'bottom') && queueId !== null && (
        <div className={classes.below}>
          <PlaceQuestion
            key={question}
            post={post}
            queueId={queueId}
            place={question}
            zone={zone}
            now={now}
            asker={menu}
            onKeep={closeQuestion}
            onMoved={close}
          />
        </div>
      )}
      {question === 'delete' && (
        <div className={classes.below}>
          <DeleteQuestion
            post={post}
            asker={menu}
            onKeep={closeQuestion}
            onDeleted={() => focusBeside(post.post_id)}
          />
        </div>
      )}
    </>
  )
}
