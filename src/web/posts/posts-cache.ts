import type { InfiniteData } from '@tanstack/react-query'
import type { Delivery } from '#contract/deliveries.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import type { Api } from '#contract/api/api.ts'
import type { PostId } from '#contract/ids.ts'
import type { Overview } from '#contract/overview.ts'
import type { Post, PostDetail } from '#contract/posts.ts'
import type { DeliveryUpdate } from '#web/api/live.ts'
import {
  accountOptionsQuery,
  ANY_POSTS,
  overviewQuery,
  POST_LISTS,
  postQuery,
  queryClient,
} from '#web/api/queries.ts'

type Pages = InfiniteData<Reply<Api['listPosts']>, string | null>

/** Replaces a delivery in every cached query. @returns its previous version, null if it was not cached */
export function putDelivery(delivery: Delivery): Delivery | null {
  let before: Delivery | null = null
  const inPost = <P extends Post>(post: P): P => {
    if (post.post_id !== delivery.post_id) return post
    const deliveries = post.deliveries.map((shown) => {
      if (shown.delivery_id !== delivery.delivery_id) return shown
      before ??= shown
      // Events and lists arrive separately: the newer version wins.
      return shown.updated_at > delivery.updated_at ? shown : delivery
    })
    return { ...post, deliveries }
  }
  queryClient.setQueriesData<Pages>(
    POST_LISTS,
    (data) =>
      data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(inPost) })) },
  )
  queryClient.setQueryData<Overview>(
    overviewQuery.queryKey,
    (data) =>
      data && {
        ...data,
        attention: { ...data.attention, posts: data.attention.posts.map(inPost) },
        next: { ...data.next, posts: data.next.posts.map(inPost) },
        published: data.published.map(inPost),
      },
  )
  // Setting data marks it fresh, so hidden lists are invalidated to be refetched when shown.
  void queryClient.invalidateQueries({ ...ANY_POSTS, type: 'inactive', refetchType: 'none' })
  queryClient.setQueryData<PostDetail>(
    postQuery(delivery.post_id).queryKey,
    (detail) => detail && inPost(detail),
  )
  return before
}

/** Removes a deleted post from the cached lists at once. */
export function dropPost(postId: PostId): void {
  queryClient.setQueriesData<Pages>(
    POST_LISTS,
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.filter(({ post_id }) => post_id !== postId),
        })),
      },
  )
  queryClient.removeQueries(postQuery(postId))
}

/** Applies a live update; the lists are refetched if it changes their content or counts. */
export function applyUpdate({ event, delivery }: DeliveryUpdate): void {
  const before = putDelivery(delivery)
  if (event !== null) {
    queryClient.setQueryData<PostDetail>(postQuery(delivery.post_id).queryKey, (detail) => {
      if (!detail || detail.events.some(({ event_id }) => event_id === event.event_id)) return detail
      return { ...detail, events: [...detail.events, event] }
    })
  }
  // The account has one post fewer left today.
  if (event?.status === 'published')
    void queryClient.invalidateQueries(accountOptionsQuery(delivery.account_id))
  // A running fetch may have read the posts before this event, and would replace it.
  const isOvertaken = event !== null && queryClient.isFetching(ANY_POSTS) > 0
  const isNewToLists = before?.status !== delivery.status || before.settled?.kind !== delivery.settled?.kind
  if (isNewToLists || isOvertaken) refreshSoon()
}

/** A burst of updates causes one refetch. */
const BURST_MS = 400
let pending: ReturnType<typeof setTimeout> | undefined

function refreshSoon(): void {
  pending ??= setTimeout(() => {
    pending = undefined
    void queryClient.invalidateQueries(ANY_POSTS)
  }, BURST_MS)
}
