import {
  infiniteQueryOptions,
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  queryOptions,
  skipToken,
} from '@tanstack/react-query'
import type { AccountId, BrandId, DraftId, PostId, VideoId } from '#contract/ids.ts'
import { POSTS_PAGE_MAX } from '#contract/limits.ts'
import type { PostFilter, PostsQuery, ZonedTime } from '#contract/posts.ts'
import { ApiProblem, call } from './api.ts'
import { removeItem } from '#web/lib/storage.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'
import { storeUser } from './stored-user.ts'

const SETTINGS_TIMEOUT_MS = 30_000

/** One object per query, for hooks, prefetch and invalidation. Queries marked `keptAtLogOut` are the same for everybody. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  // Everything waits for it, so a hanging request is better retried.
  queryFn: ({ signal }) => call('getSettings', { signal, timeoutMs: SETTINGS_TIMEOUT_MS }),
  staleTime: Infinity,
  meta: { keptAtLogOut: true },
})

export const helpQuery = queryOptions({
  queryKey: ['help'],
  queryFn: ({ signal }) => call('getHelp', { signal }),
  staleTime: Infinity,
  meta: { keptAtLogOut: true },
})

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => storeUser(await call('getUser', { signal })),
})

export const brandsQuery = queryOptions({
  queryKey: ['brands'],
  queryFn: ({ signal }) => call('listBrands', { signal }),
})

/** The accounts of one brand, or of all. */
export const accountsQuery = (brandId?: BrandId) =>
  queryOptions({
    queryKey: ['accounts', brandId ?? 'all'],
    queryFn: ({ signal }) => call('listAccounts', { query: { brandId }, signal }),
  })

/** The server answers without asking a platform, so a count may be missing. */
export const postsTodayQuery = queryOptions({
  queryKey: ['accounts', 'posts today'],
  queryFn: ({ signal }) => call('listPostsToday', { signal }),
})

export const videoQuery = (videoId: VideoId | null) =>
  queryOptions({
    queryKey: ['videos', 'one', videoId],
    queryFn: videoId === null ? skipToken : ({ signal }) => call('getVideo', { params: { videoId }, signal }),
  })

/** An address of `playbackQuery` is valid for an hour, and a clip may begin at the end of this time. */
export const PLAYBACK_FRESH_MS = 50 * 60_000

/** An address that plays a stored video. */
export const playbackQuery = (videoId: VideoId) =>
  queryOptions({
    queryKey: ['playback', videoId],
    queryFn: ({ signal }) => call('createPlayback', { params: { videoId }, signal }),
    staleTime: PLAYBACK_FRESH_MS,
    gcTime: PLAYBACK_FRESH_MS,
  })

/** An own picture; null: none is chosen. One that is gone stays gone. */
export const pictureQuery = (pictureId: number | null) =>
  queryOptions({
    queryKey: ['picture', pictureId],
    queryFn:
      pictureId === null ? skipToken : ({ signal }) => call('getPicture', { params: { pictureId }, signal }),
    staleTime: Infinity,
  })

/** The posts that would be cancelled with this brand or account; refetched for each question. */
export const waitingQuery = (of: { readonly brandId: BrandId } | { readonly accountId: AccountId }) =>
  queryOptions({
    queryKey: ['waiting', of],
    queryFn: ({ signal }) =>
      'brandId' in of
        ? call('getBrandWaiting', { params: of, signal })
        : call('getAccountWaiting', { params: of, signal }),
    staleTime: 0,
    gcTime: 0,
  })

export const ANY_WAITING = { queryKey: ['waiting'] }

/** Every list of accounts, for invalidation after a link or an unlink. */
export const ANY_ACCOUNTS = { queryKey: ['accounts'] }

/** The account's current options at its platform; null: no account chosen, no request. */
export const accountOptionsQuery = (accountId: AccountId | null) =>
  queryOptions({
    queryKey: ['options', accountId],
    queryFn:
      accountId === null
        ? skipToken
        : ({ signal }) => call('getAccountOptions', { params: { accountId }, signal }),
    staleTime: 60_000,
    // Platforms limit such calls: TikTok allows 20 a minute, including those before each post.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export type PostConditions = Pick<
  PostsQuery,
  'brandId' | 'accountId' | 'platform' | 'from' | 'to' | 'timezone' | 'search'
>

/** The posts under one filter, in the server's order, a page at a time. */
export const postsQuery = (status: PostFilter, conditions: PostConditions = {}) =>
  infiniteQueryOptions({
    queryKey: ['posts', 'list', status, conditions],
    // Without the signal: an aborted refetch would restore the old data and mark it fresh.
    queryFn: ({ pageParam }) =>
      call('listPosts', {
        query: {
          status,
          ...conditions,
          ...(pageParam !== null && { cursor: pageParam, limit: POSTS_PAGE_MAX }),
        },
      }),
    initialPageParam: null as string | null, // the first page has no cursor
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** Brands, accounts and videos change it too, so it is refetched whenever it is shown. */
export const overviewQuery = queryOptions({
  queryKey: ['posts', 'overview'],
  queryFn: ({ signal }) => call('getOverview', { signal }),
  staleTime: 0,
})

export const blockersQuery = queryOptions({
  queryKey: ['posts', 'blockers'],
  queryFn: ({ signal }) => call('listBlockers', { signal }),
  staleTime: 0,
})

export const POST_LISTS = { queryKey: ['posts', 'list'] }

/** Everything that shows posts: the lists, the overview, and each post's timeline. */
export const ANY_POSTS = { queryKey: ['posts'] }

/** The notifications: the list, and the number of unread ones. They are about posts, and change with them. */
export const ANY_NOTIFICATIONS = { queryKey: ['posts', 'notifications'] }

/** The notification bell, which loads later, has the query function. */
export const UNREAD_NOTIFICATIONS = { queryKey: [...ANY_NOTIFICATIONS.queryKey, 'unread'] }

/** One post with its timeline. */
export const postQuery = (postId: PostId) =>
  queryOptions({
    queryKey: ['posts', 'one', postId],
    queryFn: ({ signal }) => call('getPost', { params: { postId }, signal }),
  })

/** A post that is being written. */
type UnsentPost = {
  readonly video_id: VideoId
  readonly targets: { account_id: AccountId; text: string }[]
  readonly publish_at?: ZonedTime
}

export const similarPostsQuery = (post: UnsentPost | null) =>
  queryOptions({
    queryKey: ['similar posts', post],
    queryFn: post ? ({ signal }) => call('findSimilarPosts', { body: post, signal }) : skipToken,
  })

/** The drafts, latest first, or those that were deleted and can be restored. */
export const draftsQuery = (deleted: 'true' | 'false') =>
  queryOptions({
    queryKey: ['drafts', 'list', deleted],
    queryFn: ({ signal }) => call('listDrafts', { query: { deleted }, signal }),
  })

export const ANY_DRAFTS = { queryKey: ['drafts', 'list'] }

/** One draft, as it was when it was opened: from then on the page is ahead of it. */
export const draftQuery = (draftId: DraftId) =>
  queryOptions({
    queryKey: ['drafts', 'one', draftId],
    queryFn: ({ signal }) => call('getDraft', { params: { draftId }, signal }),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnMount: false,
  })

/** Retries a read only if that can help: never after a refusal. */
const retry = (failures: number, error: Error): boolean =>
  failures < 2 &&
  error instanceof ApiProblem &&
  (error.kind === 'unreachable' || error.code === 'unavailable')

// In a microtask, so that a button is busy before the second press of a double click.
notifyManager.setScheduler(queueMicrotask)

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    // Never paused offline: the server may be on the local network, and a mutation must not be sent later by itself.
    queries: { retry, staleTime: 10_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
  // Not the accounts: their own 404 would refetch them forever.
  queryCache: new QueryCache({
    onError: (error) => void (isGone(error) && queryClient.invalidateQueries(brandsQuery)),
  }),
  mutationCache: new MutationCache({ onError: refreshIfGone }),
})

const isGone = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'not_found'

/** Refetches the lists that still show something that no longer exists. */
export function refreshIfGone(error: unknown): void {
  if (!isGone(error)) return
  void queryClient.invalidateQueries(brandsQuery)
  void queryClient.invalidateQueries(ANY_ACCOUNTS)
}

/** Removes the user's data, so that the next user sees none of it. */
export function clearUserData(): void {
  removeItem(STORAGE_KEYS.userData)
  queryClient.removeQueries({ predicate: ({ meta }) => meta?.['keptAtLogOut'] !== true })
}
