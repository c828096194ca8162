import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { PostFilter, type Post } from '#contract/posts.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/paths.ts'
import { LiveHeader } from '#web/posts/live-header.tsx'
import { keptUserData, postsQuery, userQuery } from '#web/queries.ts'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { messageOf } from '#web/ui/message-of.ts'
import { dayName, dayOf } from '#web/ui/moments.ts'
import { shownZone } from '#web/ui/shown-zone.ts'
import { QueryTrouble } from '#web/ui/query-trouble.tsx'
import { useNow } from '#web/ui/use-now.ts'
import { POLL_MS, useLivePosts } from '#web/use-live-posts.ts'
import { byDay } from './days.ts'
import { Filters } from './filters.tsx'
import { focusPost, PostRow } from './post-row.tsx'
import classes from './queue.module.css'
import { WaitingPosts } from './waiting-posts.tsx'

export function QueueScreen() {
  const [search, setSearch] = useSearchParams()
  const filter = PostFilter.catch('all').parse(search.get('status') ?? 'all')
  const { link, said } = useLivePosts()
  const posts = useInfiniteQuery({
    ...postsQuery(filter),
    ...(link === 'reconnecting' && { refetchInterval: POLL_MS }),
  })
  // Another filter's counts are as good until this one's come.
  const all = useInfiniteQuery(postsQuery('all'))
  const counts = posts.data?.pages[0]?.counts ?? all.data?.pages[0]?.counts
  const list = posts.data?.pages.flatMap(({ items }) => items) ?? []

  const show = (next: PostFilter) =>
    setSearch(next === 'all' ? {} : { status: next }, { preventScrollReset: true })

  /** The button goes with the last of them; the focus goes on to the first that came. */
  const showOlder = async () => {
    const { data } = await posts.fetchNextPage()
    const first = data?.pages.at(-1)?.items[0]
    if (first) requestAnimationFrame(() => focusPost(first.post_id))
  }

  return (
    <>
      <LiveHeader title={LABELS.queue} link={link} said={said} />
      <Filters chosen={filter} counts={counts} onChoose={show} />
      {posts.status === 'pending' && <WaitingPosts />}
      {posts.status === 'error' && (
        <QueryTrouble query={posts}>{messageOf(posts.error, TEXTS.unknownError)}</QueryTrouble>
      )}
      {posts.status === 'success' &&
        (list.length === 0 ? (
          <Nothing filter={filter} onShowAll={() => show('all')} />
        ) : (
          <Days posts={list} />
        ))}
      {posts.hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" loading={posts.isFetchingNextPage} onClick={() => void showOlder()}>
            Show older
          </Button>
        </div>
      )}
    </>
  )
}

function Days({ posts }: { posts: readonly Post[] }) {
  const user = useQuery({ ...userQuery, placeholderData: keptUserData })
  const zone = shownZone(user.data?.timezone)
  const now = useNow()
  const today = dayOf(new Date(now).toISOString(), zone)
  return byDay(posts, zone, today).map(({ day, posts: own }, position) => (
    <section key={day} className={classes.day} aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`} className={classes.dayName}>
        {dayName(day, today)}
        {position === 0 && ` · ${zone.replaceAll('_', ' ')}`}
      </h2>
      <Card flush>
        <ul className={classes.posts}>
          {own.map((post) => (
            <PostRow key={post.post_id} post={post} zone={zone} now={now} />
          ))}
        </ul>
      </Card>
    </section>
  ))
}

function Nothing({ filter, onShowAll }: { filter: PostFilter; onShowAll: () => void }) {
  return filter === 'all' ? (
    <EmptyState
      drawing="posts"
      text="Nothing has been posted from here yet."
      action={
        <Button variant="default" component={Link} to={PATHS.upload}>
          Go to upload
        </Button>
      }
    />
  ) : (
    <EmptyState
      drawing="posts"
      text={NOTHING[filter]}
      action={
        <Button variant="default" onClick={onShowAll}>
          Show all posts
        </Button>
      }
    />
  )
}

const NOTHING: Record<Exclude<PostFilter, 'all'>, string> = {
  attention: 'Nothing needs you.',
  scheduled: 'Nothing waits for its time.',
  publishing: 'Nothing is going out right now.',
  published: 'Nothing has been published yet.',
  failed: 'Nothing has failed.',
}
