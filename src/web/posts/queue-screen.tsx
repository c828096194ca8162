import { Box, Button, Group, Skeleton, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { PostId } from '#contract/ids.ts'
import { POSTS_AT_ONCE_MAX, POSTS_COUNTED_MAX } from '#contract/limits.ts'
import { POST_COUNTS, type Post, type PostCount, type PostFilter } from '#contract/posts.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import type { ConnectionState } from '#web/api/live.ts'
import { type PostConditions, postsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { selectionBy } from '#web/lib/selection.ts'
import { useNow } from '#web/lib/use-now.ts'
import { hasConditions } from '#web/platforms/list-conditions.ts'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import { ZoneChoice, useZone } from '#web/ui/zone.tsx'
import { Blockers } from './blockers.tsx'
import { ConditionBar } from './condition-bar.tsx'
import { LiveHeader } from './live-header.tsx'
import { PostList } from './post-list.tsx'
import type { Opened, OpenedRows, Selecting } from './post-row.tsx'
import { type ShowQueueView, useQueueView } from './queue-address.ts'
import { isOut } from './post.ts'
import { type PostPages, type Section, withoutRepeats } from './queue-entries.ts'
import { SelectionBar } from './selection-bar.tsx'
import { POSTS_POLL_MS, useLivePosts } from './use-live-posts.ts'

const { nothing, toggle, extend, deselect } = selectionBy(({ post_id }: Post) => post_id, POSTS_AT_ONCE_MAX)

export function QueueScreen() {
  const [{ status, conditions }, show] = useQueueView()
  const { link, outcomes } = useLivePosts()
  const zone = useZone()
  const rows = useOpenedRows()
  const [selection, setSelection] = useState(nothing)
  const select = useCallback(
    (post: Post, list: readonly Post[] | null) =>
      setSelection((before) => (list ? extend(before, list, post) : toggle(before, post))),
    [],
  )
  const hasDays = conditions.from !== undefined || conditions.to !== undefined
  const shared = {
    link,
    zone,
    rows,
    conditions: hasDays ? { ...conditions, timezone: zone } : conditions,
    show,
    selected: selection.items,
    select,
  }
  return (
    <>
      <LiveHeader title={LABELS.queue} link={link} outcomes={outcomes} aside={<ZoneChoice />} />
      <Blockers />
      <ConditionBar conditions={conditions} onChange={(next) => show({ conditions: next }, true)} />
      {status === 'all' ? <AllPosts {...shared} /> : <OneFilter key={status} filter={status} {...shared} />}
      {selection.items.size > 0 && (
        <SelectionBar
          posts={[...selection.items.values()]}
          zone={zone}
          onClear={() => setSelection(nothing)}
          onDone={(done) => setSelection((before) => deselect(before, done))}
        />
      )}
    </>
  )
}

const CLOSED: Opened = { timeline: false, accounts: false, problems: false, question: null }

function useOpenedRows(): OpenedRows {
  const [rows, setRows] = useState<ReadonlyMap<PostId, Opened>>(new Map())
  return useMemo(
    () => ({
      of: (postId) => rows.get(postId) ?? CLOSED,
      set: (postId, opened) =>
        setRows((before) => new Map(before).set(postId, { ...(before.get(postId) ?? CLOSED), ...opened })),
    }),
    [rows],
  )
}

type ListProps = {
  link: ConnectionState
  zone: string
  rows: OpenedRows
  conditions: PostConditions
  show: ShowQueueView
  selected: ReadonlyMap<PostId, Post>
  /** `list`: selects the range of it from the last selected post to this one. */
  select: (post: Post, list: readonly Post[] | null) => void
}

/** A range goes over what the page shows, across its sections. Selecting changes no row's `onSelect`. */
function useSelecting(sections: readonly Section[], { selected, select }: ListProps): Selecting {
  const onSelect = useCallback<Selecting['onSelect']>(
    (post, isRange) => select(post, isRange ? sections.flatMap(({ posts }) => posts) : null),
    [sections, select],
  )
  return { selected, onSelect }
}

const postIn = (state: unknown): PostId | null =>
  typeof state === 'object' && state !== null && 'postId' in state
    ? (PostId.safeParse(state.postId).data ?? null)
    : null

const usePosts = (filter: PostFilter, { link, conditions }: ListProps): PostPages =>
  useInfiniteQuery({
    ...postsQuery(filter, conditions),
    // While the user types, the list of the last search is shown.
    placeholderData: keepPreviousData,
    ...(link === 'reconnecting' && { refetchInterval: POSTS_POLL_MS }),
  })

/** Memoised, because the query object is new in each render. */
function useLoaded(it: PostPages): Pick<Section, 'posts' | 'query'> {
  const { data, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = it
  return useMemo(
    () => ({
      posts: data?.pages.flatMap(({ items }) => items) ?? [],
      query: { hasNextPage, isFetchingNextPage, isError, fetchNextPage },
    }),
    [data, hasNextPage, isFetchingNextPage, isError, fetchNextPage],
  )
}

/** A published post stays above the upcoming ones for so long. */
const RECENT_MS = 3_600_000

/** Every post once: needs attention, just published, upcoming, done. A cancelled post counts as done. */
function AllPosts(props: ListProps) {
  const { zone, rows, conditions, show } = props
  const now = useNow()
  const attention = usePosts('attention', props)
  const upcoming = usePosts('upcoming', props)
  const past = usePosts('past', props)
  const all = [attention, upcoming, past]
  const failed = all.find(({ status }) => status === 'error')
  const [held, next, done] = [useLoaded(attention), useLoaded(upcoming), useLoaded(past)]
  const sections = useMemo(() => {
    const lists = withoutRepeats({ attention: held.posts, upcoming: next.posts, past: done.posts })
    const recent = lists.past.filter((post) => isOut(post) && Date.parse(post.goes_out_at) > now - RECENT_MS)
    const section = { isAlone: false, isGrouped: true }
    return [
      {
        ...section,
        id: 'attention',
        title: 'Needs attention',
        isGrouped: false,
        posts: lists.attention,
        query: held.query,
      },
      {
        ...section,
        id: 'recent',
        title: 'Just published',
        isGrouped: false,
        posts: recent,
        query: { ...done.query, hasNextPage: false },
      },
      { ...section, id: 'upcoming', title: 'Upcoming', posts: lists.upcoming, query: next.query },
      {
        ...section,
        id: 'past',
        title: 'Done',
        posts: lists.past.filter((post) => !recent.includes(post)),
        query: done.query,
      },
    ]
  }, [held, next, done, now])
  const wanted = postIn(useLocation().state)
  const selecting = useSelecting(sections, props)
  return (
    <>
      <Filters chosen="all" counts={countsOf(all)} onChoose={(status) => show({ status })} />
      {failed && <QueryError query={failed}>{messageOf(failed.error, TEXTS.unknownError)}</QueryError>}
      {!failed && all.some(({ status }) => status === 'pending') ? (
        <PostsSkeleton />
      ) : (
        <PostList
          sections={sections}
          zone={zone}
          now={now}
          rows={rows}
          selecting={selecting}
          wanted={wanted}
        />
      )}
      {all.every(({ status }) => status === 'success') &&
        [held, next, done].every(({ posts }) => posts.length === 0) &&
        (hasConditions(conditions) ? (
          <NothingFound text="No posts match." onClear={() => show({ conditions: {} })} />
        ) : (
          <NothingAtAll />
        ))}
    </>
  )
}

function OneFilter({ filter, ...props }: ListProps & { filter: Exclude<PostCount, 'all'> }) {
  const { zone, rows, conditions, show } = props
  const now = useNow()
  const posts = usePosts(filter, props)
  // Counts from another cached list are shown until this one is loaded.
  const other = useInfiniteQuery(postsQuery('upcoming', conditions))
  const loaded = useLoaded(posts)
  const sections = useMemo(
    () => [
      {
        ...loaded,
        id: 'filtered',
        title: FILTER_WORDS[filter],
        isAlone: true,
        isGrouped: filter !== 'attention',
        posts: withoutRepeats({ attention: loaded.posts, upcoming: [], past: [] }).attention,
      },
    ],
    [loaded, filter],
  )
  const selecting = useSelecting(sections, props)
  return (
    <>
      <Filters chosen={filter} counts={countsOf([posts, other])} onChoose={(status) => show({ status })} />
      {posts.status === 'pending' && <PostsSkeleton />}
      {posts.status === 'error' && (
        <QueryError query={posts}>{messageOf(posts.error, TEXTS.unknownError)}</QueryError>
      )}
      <PostList sections={sections} zone={zone} now={now} rows={rows} selecting={selecting} wanted={null} />
      {posts.status === 'success' &&
        loaded.posts.length === 0 &&
        (hasConditions(conditions) ? (
          <NothingFound text="No posts match." onClear={() => show({ conditions: {} })} />
        ) : (
          <CenteredMessage
            text={NOTHING[filter]}
            action={
              <Button variant="default" onClick={() => show({ status: 'all' })}>
                Show all posts
              </Button>
            }
          />
        ))}
    </>
  )
}

const NothingFound = ({ text, onClear }: { text: string; onClear: () => void }) => (
  <CenteredMessage
    text={text}
    action={
      <Button variant="default" onClick={onClear}>
        Clear filters
      </Button>
    }
  />
)

const countsOf = (queries: readonly PostPages[]) =>
  queries.find(({ data }) => data !== undefined)?.data?.pages[0]?.counts

const NothingAtAll = () => (
  <CenteredMessage
    text="No posts yet."
    action={
      <Button variant="default" component={Link} to={PATHS.compose}>
        New post
      </Button>
    }
  />
)

const NOTHING: Record<Exclude<PostCount, 'all'>, string> = {
  attention: 'Nothing needs your attention.',
  scheduled: 'Nothing scheduled.',
  publishing: 'Nothing is publishing right now.',
  published: 'Nothing published yet.',
  in_inbox: 'No drafts in an inbox.',
  failed: 'No failed posts.',
  cancelled: 'No cancelled posts.',
}

function PostsSkeleton() {
  return (
    <Delayed>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <Skeleton height={12} width={160} mb={12} aria-hidden="true" />
      <Card flush aria-hidden="true">
        <ul>
          {['46%', '34%', '40%'].map((width) => (
            <Group key={width} component="li" wrap="nowrap" gap="0.75rem" p="0.5rem 1rem">
              <Skeleton height={40} width={36} radius="md" flex="none" />
              <Box flex={1}>
                <Skeleton height={12} width={width} />
              </Box>
              <Skeleton height={12} width={96} />
            </Group>
          ))}
        </ul>
      </Card>
    </Delayed>
  )
}

type FiltersProps = {
  chosen: PostCount
  counts: Readonly<Record<PostCount, number>> | undefined
  onChoose: (filter: PostCount) => void
}

function Filters({ chosen, counts, onChoose }: FiltersProps) {
  // Few people post drafts or cancel posts: those who do get a filter for them.
  const isEmptyAndRare = (filter: PostCount) => RARE.has(filter) && filter !== chosen && !counts?.[filter]
  return (
    <Group component="fieldset" gap="0.375rem" mb="1.75rem" aria-label="Show">
      {POST_COUNTS.filter((filter) => !isEmptyAndRare(filter)).map((filter) => {
        const count = COUNTED.has(filter) ? (counts?.[filter] ?? 0) : 0
        return (
          <FilterChip key={filter} isChosen={filter === chosen} onChoose={() => onChoose(filter)}>
            {FILTER_WORDS[filter]}
            {count > 0 && <span> {count < POSTS_COUNTED_MAX ? count : `${count}+`}</span>}
          </FilterChip>
        )
      })}
    </Group>
  )
}

const RARE: ReadonlySet<PostCount> = new Set(['in_inbox', 'cancelled'])

/** The filters that show a count: those with work left. */
const COUNTED: ReadonlySet<PostCount> = new Set(['attention', 'scheduled', 'publishing', 'failed'])

const FILTER_WORDS: Record<PostCount, string> = {
  all: 'All',
  attention: 'Needs attention',
  scheduled: 'Scheduled',
  publishing: 'Publishing',
  published: 'Published',
  in_inbox: 'In the inbox',
  failed: 'Failed',
  cancelled: 'Cancelled',
}
