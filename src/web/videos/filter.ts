import { BrandId } from '#contract/ids.ts'
import { ListDay } from '#contract/search.ts'
import { VideoSort } from '#contract/videos.ts'
import type { VideosFilter } from '#web/api/videos.ts'

export const ALL_VIDEOS: VideosFilter = {
  search: '',
  tag: null,
  brandId: null,
  isUnused: false,
  from: null,
  to: null,
  sort: 'newest',
}

export const isFiltered = ({ search, tag, brandId, isUnused, from, to }: VideosFilter): boolean =>
  search.trim() !== '' || tag !== null || brandId !== null || isUnused || from !== null || to !== null

/** The filter that an address names; what it names wrongly counts as unsaid. */
export const filterOf = (params: URLSearchParams): VideosFilter => ({
  search: params.get('search') ?? '',
  tag: params.get('tag'),
  brandId: BrandId.safeParse(params.get('brand') ?? undefined).data ?? null,
  isUnused: params.get('use') === 'unused',
  from: dayOf(params.get('from')),
  to: dayOf(params.get('to')),
  sort: VideoSort.safeParse(params.get('sort')).data ?? ALL_VIDEOS.sort,
})

const dayOf = (text: string | null): string | null => ListDay.safeParse(text).data ?? null

/** The address of a filter: only what differs from all videos. */
export const paramsOf = ({ search, tag, brandId, isUnused, from, to, sort }: VideosFilter): URLSearchParams =>
  new URLSearchParams({
    ...(search !== '' && { search }),
    ...(tag !== null && { tag }),
    ...(brandId !== null && { brand: String(brandId) }),
    ...(isUnused && { use: 'unused' }),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    ...(sort !== ALL_VIDEOS.sort && { sort }),
  })
