import {
  infiniteQueryOptions,
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  queryOptions,
  skipToken,
} from '@tanstack/react-query'
import type { AccountId, BrandId, PostId } from '#contract/ids.ts'
import type { PostFilter } from '#contract/posts.ts'
import { User } from '#contract/users.ts'
import { ApiProblem, call } from './api.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'

const SETTINGS_TIMEOUT_MS = 30_000

/**
 * One object per query: the hook, the prefetch and the invalidation all name it. What is marked `ofNobody` outlives a
 * log-out; everything else is one person's.
 */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  // Nothing can be done before it: one that hangs is better asked again.
  queryFn: ({ signal }) => call('getSettings', { signal, timeoutMs: SETTINGS_TIMEOUT_MS }),
  staleTime: Infinity,
  meta: { ofNobody: true },
})

export const helpQuery = queryOptions({
  queryKey: ['help'],
  queryFn: ({ signal }) => call('getHelp', { signal }),
  staleTime: Infinity,
  meta: { ofNobody: true },
})

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => keepUserData(await call('getUser', { signal })),
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

/** What would not be posted if this brand were deleted, or this account unlinked: asked anew with each question. */
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

/** Every list of accounts, for invalidation after a link or an unlink. */
export const ANY_ACCOUNTS = { queryKey: ['accounts'] }

/** What the platform lets this account choose now; null: no account is chosen yet, and nothing is asked. */
export const accountOptionsQuery = (accountId: AccountId | null) =>
  queryOptions({
    queryKey: ['options', accountId],
    queryFn:
      accountId === null
        ? skipToken
        : ({ signal }) => call('getAccountOptions', { params: { accountId }, signal }),
    staleTime: 60_000,
    // Platforms count such questions: TikTok takes 20 a minute, Reelay's own before each post among them.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** The posts under one filter, in the server's order, a page at a time. */
export const postsQuery = (status: PostFilter) =>
  infiniteQueryOptions({
    queryKey: ['posts', 'list', status],
    // Without the signal: a list that is left while it is asked again would go back to what it was, and count as fresh.
    queryFn: ({ pageParam }) => call('listPosts', { query: { status, cursor: pageParam ?? undefined } }),
    initialPageParam: null as string | null, // the first page has no cursor
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** How things stand. Brands, accounts and videos move it too, so it is asked whenever it is shown. */
export const overviewQuery = queryOptions({
  queryKey: ['posts', 'overview'],
  queryFn: ({ signal }) => call('getOverview', { signal }),
  staleTime: 0,
})

export const POST_LISTS = { queryKey: ['posts', 'list'] }

/** Everything that shows posts: the lists, the overview, and each post's timeline. */
export const ANY_POSTS = { queryKey: ['posts'] }

/** One post with its timeline. */
export const postQuery = (postId: PostId) =>
  queryOptions({
    queryKey: ['posts', 'one', postId],
    queryFn: ({ signal }) => call('getPost', { params: { postId }, signal }),
  })

/** Reading is repeated where a repeat can help: never after a refusal, which would only be said again. */
const retry = (failures: number, error: Error): boolean =>
  failures < 2 &&
  error instanceof ApiProblem &&
  (error.kind === 'unreachable' || error.code === 'unavailable')

// Within the event that caused it, so that a button is busy before the second press of a double click arrives.
notifyManager.setScheduler(queueMicrotask)

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    // Not waiting for the browser to say that it is online: the server may be on this very network, and what is sent
    // later by itself is not what the user asked for.
    queries: { retry, staleTime: 10_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
  // Not the accounts as well: they may be the very list that was asked for, and it would be asked for ever.
  queryCache: new QueryCache({
    onError: (error) => void (isGone(error) && queryClient.invalidateQueries(brandsQuery)),
  }),
  mutationCache: new MutationCache({ onError: refreshIfGone }),
})

const isGone = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'not_found'

/** What was acted on is gone, perhaps in another tab: the lists that still show it are asked again. */
export function refreshIfGone(error: unknown): void {
  if (!isGone(error)) return
  void queryClient.invalidateQueries(brandsQuery)
  void queryClient.invalidateQueries(ANY_ACCOUNTS)
}

/** Keeps the profile in the browser, so that the next visit greets at once. */
export function keepUserData(user: User): User {
  try {
    localStorage.setItem(STORAGE_KEYS.userData, JSON.stringify(user))
  } catch {
    // A storage that is full or switched off: the next visit greets a moment later.
  }
  return user
}

/** The kept profile; `undefined` where there is none that this version can read. */
export function keptUserData(): User | undefined {
  const kept = User.safeParse(jsonOf(localStorage.getItem(STORAGE_KEYS.userData) ?? ''))
  return kept.success ? kept.data : undefined
}

/** Nothing of one person stays behind for the next. */
export function forgetUserData(): void {
  localStorage.removeItem(STORAGE_KEYS.userData)
  queryClient.removeQueries({ predicate: ({ meta }) => meta?.['ofNobody'] !== true })
}
