import { BrandId } from '#contract/ids.ts'
import { VideoSort } from '#contract/videos.ts'
import type { VideosFilter } from '#web/api/videos.ts'

export const ALL_VIDEOS: VideosFilter = {
  search: '',
  tag: null,
  brandId: null,
  isUnused: false,
  sort: 'newest',
}

export const isFiltered = ({ search, tag, brandId, isUnused }: VideosFilter): boolean =>
  search.trim() !== '' || tag !== null || brandId !== null || isUnused

/** The filter that an address names; what it names wrongly counts as unsaid. */
export const filterOf = (params: URLSearchParams): VideosFilter => ({
  search: params.get('search') ?? '',
  tag: params.get('tag'),
  brandId: BrandId.safeParse(params.get('brand') ?? undefined).data ?? null,
  isUnused: params.get('use') === 'unused',
  sort: VideoSort.safeParse(params.get('sort')).data ?? ALL_VIDEOS.sort,
})

/** The address of a filter: only what differs from all videos. */
export const paramsOf = ({ search, tag, brandId, isUnused, sort }: VideosFilter): URLSearchParams =>
  new URLSearchParams({
    ...(search !== '' && { search }),
    ...(tag !== null && { tag }),
    ...(brandId !== null && { brand: String(brandId) }),
    ...(isUnused && { use: 'unused' }),
    ...(sort !== ALL_VIDEOS.sort && { sort }),
  })
