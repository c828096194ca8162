import { infiniteQueryOptions, queryOptions, type InfiniteData } from '@tanstack/react-query'
import type { Api } from '#contract/api/api.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import type { BrandId, VideoId } from '#contract/ids.ts'
import type { Video, VideoSort } from '#contract/videos.ts'
import { call } from './api.ts'
import { queryClient, videoQuery } from './queries.ts'

export type VideosFilter = {
  readonly search: string
  readonly tag: string | null
  readonly brandId: BrandId | null
  readonly isUnused: boolean
  /** The first and last day on which they were added, such as `2026-11-18`. */
  readonly from: string | null
  readonly to: string | null
  readonly sort: VideoSort
}

const VIDEO_LISTS = { queryKey: ['videos', 'list'] }

/** The uploaded videos, a page at a time. */
export const videosQuery = ({ search, tag, brandId, isUnused, from, to, sort }: VideosFilter) =>
  infiniteQueryOptions({
    queryKey: [...VIDEO_LISTS.queryKey, { search, tag, brandId, isUnused, from, to, sort }],
    queryFn: ({ pageParam }) =>
      call('listVideos', {
        query: {
          search: search === '' ? undefined : search,
          tag: tag ?? undefined,
          brand_id: brandId ?? undefined,
          use: isUnused ? 'unused' : undefined,
          from: from ?? undefined,
          to: to ?? undefined,
          sort,
          cursor: pageParam ?? undefined,
        },
      }),
    initialPageParam: null as string | null, // the first page has no cursor
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Every loaded page would be fetched again.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= 2,
  })

export const libraryQuery = queryOptions({
  queryKey: ['library'],
  queryFn: ({ signal }) => call('getLibrary', { signal }),
})

export const UNFINISHED_UPLOADS = { queryKey: ['uploads'] }

/** The uploads of which not everything has arrived, those included that are running. */
export const unfinishedUploadsQuery = queryOptions({
  queryKey: UNFINISHED_UPLOADS.queryKey,
  queryFn: ({ signal }) => call('listUploads', { signal }),
  staleTime: 0,
})

export type UnfinishedUpload = Reply<Api['listUploads']>['items'][number]

/** Refetched for each question, since posts change meanwhile. */
export const videosUsageQuery = (videoIds: readonly VideoId[]) =>
  queryOptions({
    queryKey: ['videos usage', videoIds],
    queryFn: ({ signal }) => call('readVideoUsage', { body: { video_ids: [...videoIds] }, signal }),
    staleTime: 0,
    gcTime: 0,
  })

type Page = { readonly videos: Video[]; readonly next_cursor: string | null }

const changeLists = (change: (videos: Video[]) => Video[]): void =>
  void queryClient.setQueriesData<InfiniteData<Page>>(
    VIDEO_LISTS,
    (list) =>
      list && { ...list, pages: list.pages.map((page) => ({ ...page, videos: change(page.videos) })) },
  )

/** Shows changed videos in every list, as the server answered them. */
export function replaceVideos(changed: readonly Video[]): void {
  const byId = new Map(changed.map((video) => [video.video_id, video]))
  changeLists((videos) => videos.map((video) => byId.get(video.video_id) ?? video))
  for (const video of changed) queryClient.setQueryData(videoQuery(video.video_id).queryKey, video)
}

/** Takes deleted videos out of every list. */
export const dropVideos = (deleted: ReadonlySet<VideoId>): void =>
  changeLists((videos) => videos.filter(({ video_id }) => !deleted.has(video_id)))

/** So many pages of a list are fetched again at once; a longer one when it is opened next. */
const REFRESHED_PAGES_MAX = 3

/** Fetches what a new, changed or deleted video changes in the library. */
export function refreshVideos(): void {
  void queryClient.invalidateQueries(UNFINISHED_UPLOADS)
  void queryClient.invalidateQueries(libraryQuery)
  void queryClient.invalidateQueries({
    ...VIDEO_LISTS,
    predicate: ({ state }) =>
      ((state.data as InfiniteData<Page> | undefined)?.pages.length ?? 0) <= REFRESHED_PAGES_MAX,
  })
  void queryClient.invalidateQueries({ ...VIDEO_LISTS, refetchType: 'none' })
}
