import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { videosQuery, type VideosFilter } from '#web/api/videos.ts'

/** Between two keys of somebody who types. */
const TYPING_MS = 200

/** The videos that a filter finds, as far as they are loaded; meanwhile those of the filter before. */
export function useVideos(filter: VideosFilter) {
  const [search] = useDebouncedValue(filter.search, TYPING_MS)
  const list = useInfiniteQuery({
    ...videosQuery({ ...filter, search: search.trim() }),
    placeholderData: keepPreviousData,
  })
  const { data, fetchNextPage, isFetchingNextPage, isFetchNextPageError } = list
  // A video that moved while pages were fetched may be in two of them.
  const videos = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.videos) ?? []
    return [...new Map(all.map((video) => [video.video_id, video])).values()]
  }, [data])
  const loadMore = useCallback(() => {
    // After an error the user asks for the next page.
    if (!isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage, isFetchNextPageError])
  return { list, videos, loadMore }
}
