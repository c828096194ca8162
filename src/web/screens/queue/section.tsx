import { Button, VisuallyHidden } from '@mantine/core'
import type { useInfiniteQuery } from '@tanstack/react-query'
import type { InfiniteData } from '@tanstack/react-query'
import type { Api } from '#contract/api/api.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import type { Post } from '#contract/posts.ts'
import { Card } from '#web/components/display/card.tsx'
import { dayName, dayOf } from '#web/lib/format/moments.ts'
import { byDay } from './days.ts'
import { focusPost, PostRow, type OpenedRows } from './post-row.tsx'
import classes from './queue.module.css'

export type PostPages = ReturnType<
  typeof useInfiniteQuery<Reply<Api['listPosts']>, Error, InfiniteData<Reply<Api['listPosts']>>>
>

/** `now`: epoch ms. */
export type Clock = { readonly zone: string; readonly now: number }

type Props = Clock & {
  id: string
  title: string
  /** The only section: the filter above it already names it. */
  alone: boolean
  /** Grouped by day, or in one list where each post shows its day. */
  grouped: boolean
  posts: readonly Post[]
  /** Loads more posts. */
  query: PostPages
  rows: OpenedRows
}

export const postsIn = ({ data }: PostPages): readonly Post[] =>
  data?.pages.flatMap(({ items }) => items) ?? []

/** The posts of one list, with a button to load more. Hidden while empty. */
export function Section({ id, title, alone, grouped, posts, query, rows, zone, now }: Props) {
  if (posts.length === 0) return null

  /** The button may disappear, so the focus moves to the first new post. */
  const showMore = async () => {
    const { data } = await query.fetchNextPage()
    const first = data?.pages.at(-1)?.items[0]
    if (first) requestAnimationFrame(() => focusPost(first.post_id))
  }
  const today = dayOf(new Date(now).toISOString(), zone)
  const list = (some: readonly Post[]) => (
    <Card flush>
      <ul className={classes.posts}>
        {some.map((post) => (
          <PostRow key={post.post_id} post={post} zone={zone} now={now} dated={!grouped} rows={rows} />
        ))}
      </ul>
    </Card>
  )
  const heading = <h2 id={id}>{title}</h2>
  return (
    <section className={classes.section} aria-labelledby={id}>
      {alone ? (
        <VisuallyHidden>{heading}</VisuallyHidden>
      ) : (
        <div className={classes.sectionHead}>{heading}</div>
      )}
      {grouped
        ? byDay(posts, zone).map(({ day, posts: own }) => (
            <section key={day} className={classes.day} aria-labelledby={`${id} ${id}-${day}`}>
              <h3 id={`${id}-${day}`} className={classes.dayName}>
                {dayName(day, today)}
              </h3>
              {list(own)}
            </section>
          ))
        : list(posts)}
      {query.hasNextPage && (
        <div className={classes.more}>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void showMore()}
            aria-label={`Show more: ${title}`}
          >
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}
