import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FocusEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import type { PostId } from '#contract/ids.ts'
import { POST_COUNTS, type Post, type PostCount, type PostFilter } from '#contract/posts.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import type { ConnectionState } from '#web/client/live.ts'
import { PATHS } from '#web/lib/paths.ts'
import { LiveHeader } from '#web/posts/live-header.tsx'
import { postsQuery } from '#web/client/queries.ts'
import { EmptyState } from '#web/components/feedback/empty-state.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { QueryError } from '#web/components/feedback/query-error.tsx'
import { useNow } from '#web/lib/dom/use-now.ts'
import { useZone, ZoneNote } from '#web/components/time/zone.tsx'
import { POLL_MS, useLivePosts } from '#web/posts/use-live-posts.ts'
import { FILTER_WORDS, Filters } from './filters.tsx'
import { showPost, type Opened, type OpenedRows } from './post-row.tsx'
import { type PostPages, postsIn, Section } from './section.tsx'
import { withoutRepeats } from './sections.ts'
import { PostsSkeleton } from './posts-skeleton.tsx'

export function QueueScreen() {
  const [search, setSearch] = useSearchParams()
  const filter = POST_COUNTS.find((known) => known === search.get('status')) ?? 'all'
  const { link, outcomes } = useLivePosts()
  const zone = useZone()
  const rows = useOpenedRows()
  const show = (next: PostCount) =>
    setSearch(next === 'all' ? {} : { status: next }, { preventScrollReset: true })
  const shared = { link, zone, rows, filter, onShow: show }
  return (
    <>
      <LiveHeader title={LABELS.queue} link={link} outcomes={outcomes} aside={<ZoneNote />} />
      {filter === 'all' ? <AllPosts {...shared} /> : <OneFilter key={filter} {...shared} />}
    </>
  )
}

const CLOSED: Opened = { timeline: false, question: null }

function useOpenedRows(): OpenedRows {
  const [rows, setRows] = useState<ReadonlyMap<PostId, Opened>>(new Map())
  return {
    of: (postId) => rows.get(postId) ?? CLOSED,
    set: (postId, opened) =>
      setRows((before) => new Map(before).set(postId, { ...(before.get(postId) ?? CLOSED), ...opened })),
  }
}

/** Gives the focus back to a row that remounted in another section. */
function useFocusOfMovedRow() {
  const focused = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (document.activeElement === document.body && focused.current !== null)
      document.getElementById(focused.current)?.focus({ preventScroll: true })
  })
  return {
    onFocus: ({ target }: FocusEvent) =>
      void (focused.current = target.closest('li[id^="post-"]')?.id ?? null),
    // Still in the document: the user moved the focus away.
    onBlur: ({ target }: FocusEvent) => void (target.isConnected && (focused.current = null)),
  }
}

type Shown = {
  link: ConnectionState
  zone: string
  rows: OpenedRows
  filter: PostCount
  onShow: (filter: PostCount) => void
}

/** Shows the post that another screen has just made, once it is in the list. */
function useNewPost(posts: readonly Post[]): void {
  const wanted = postIn(useLocation().state)
  const shown = useRef<number | null>(null)
  const post = posts.find(({ post_id }) => post_id === wanted)
  useEffect(() => {
    if (!post || shown.current === post.post_id) return
    shown.current = post.post_id
    showPost(post.post_id)
  }, [post])
}

const postIn = (state: unknown): number | null =>
  typeof state === 'object' && state !== null && 'postId' in state && typeof state.postId === 'number'
    ? state.postId
    : null

const usePosts = (filter: PostFilter, link: ConnectionState): PostPages =>
  useInfiniteQuery({ ...postsQuery(filter), ...(link === 'reconnecting' && { refetchInterval: POLL_MS }) })

/** Every post once: needs attention, upcoming, done. A cancelled post counts as done. */
function AllPosts({ link, zone, rows, onShow }: Shown) {
  const now = useNow()
  const [attention, upcoming, past] = [
    usePosts('attention', link),
    usePosts('upcoming', link),
    usePosts('past', link),
  ]
  const all = [attention, upcoming, past]
  const failed = all.find(({ status }) => status === 'error')
  const clock = { zone, now, rows, alone: false }
  const keepsFocus = useFocusOfMovedRow()
  const sections = withoutRepeats({
    attention: postsIn(attention),
    upcoming: postsIn(upcoming),
    past: postsIn(past),
  })
  useNewPost([...sections.attention, ...sections.upcoming, ...sections.past])
  return (
    <>
      <Filters chosen="all" counts={countsOf(all)} onChoose={onShow} />
      {failed && <QueryError query={failed}>{messageOf(failed.error, TEXTS.unknownError)}</QueryError>}
      {!failed && all.some(({ status }) => status === 'pending') ? (
        <PostsSkeleton />
      ) : (
        <div {...keepsFocus}>
          <Section
            id="attention"
            title="Needs attention"
            grouped={false}
            posts={sections.attention}
            query={attention}
            {...clock}
          />
          <Section
            id="upcoming"
            title="Upcoming"
            grouped
            posts={sections.upcoming}
            query={upcoming}
            {...clock}
          />
          <Section id="past" title="Done" grouped posts={sections.past} query={past} {...clock} />
        </div>
      )}
      {all.every((query) => query.status === 'success' && postsIn(query).length === 0) && <NothingAtAll />}
    </>
  )
}

function OneFilter({ link, zone, rows, filter, onShow }: Shown) {
  const now = useNow()
  const posts = usePosts(filter, link)
  // Counts from another cached list are shown until this one is loaded.
  const other = useInfiniteQuery(postsQuery('upcoming'))
  return (
    <>
      <Filters chosen={filter} counts={countsOf([posts, other])} onChoose={onShow} />
      {posts.status === 'pending' && <PostsSkeleton />}
      {posts.status === 'error' && (
        <QueryError query={posts}>{messageOf(posts.error, TEXTS.unknownError)}</QueryError>
      )}
      <Section
        id="filtered"
        title={FILTER_WORDS[filter]}
        alone
        grouped={filter !== 'attention'}
        posts={postsIn(posts)}
        query={posts}
        zone={zone}
        now={now}
        rows={rows}
      />
      {posts.status === 'success' && postsIn(posts).length === 0 && filter !== 'all' && (
        <EmptyState
          drawing="posts"
          text={NOTHING[filter]}
          action={
            <Button variant="default" onClick={() => onShow('all')}>
              Show all posts
            </Button>
          }
        />
      )}
    </>
  )
}

const countsOf = (queries: readonly PostPages[]) =>
  queries.find(({ data }) => data !== undefined)?.data?.pages[0]?.counts

const NothingAtAll = () => (
  <EmptyState
    drawing="posts"
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
