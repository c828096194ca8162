import { POST_COUNTS, type PostCount, PostsQuery } from '#contract/posts.ts'
import type { PostConditions } from '#web/api/queries.ts'
import {
  formatListConditions,
  parseListConditions,
  withoutUndefined,
} from '#web/platforms/list-conditions.ts'
import { type ShowView, useAddressView } from '#web/ui/use-address-view.ts'

/** The state of the queue is in its address, so that one can come back to it. */
export type QueueView = { readonly status: PostCount; readonly conditions: PostConditions }

export type ShowQueueView = ShowView<QueueView>

export const useQueueView = (): [QueueView, ShowQueueView] =>
  useAddressView(parseQueueAddress, formatQueueAddress)

/** Reads the address; invalid values are ignored. */
export function parseQueueAddress(params: URLSearchParams): QueueView {
  const search = PostsQuery.shape.search.safeParse(params.get('search') ?? undefined).data?.trim()
  return {
    status: POST_COUNTS.find((known) => known === params.get('status')) ?? 'all',
    conditions: { ...parseListConditions(params), ...(search && { search }) },
  }
}

/** Writes only what differs from all posts. */
export const formatQueueAddress = ({ status, conditions }: QueueView): URLSearchParams =>
  new URLSearchParams({
    ...(status !== 'all' && { status }),
    ...formatListConditions(conditions),
    ...withoutUndefined({ search: conditions.search }),
  })
