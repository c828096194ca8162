import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { VideosFilter } from '#web/client/videos.ts'
import { filterOf, paramsOf } from '#web/library/filters/filter.ts'

/** Browsers limit how often an address changes. */
const ADDRESS_DELAY_MS = 400

/** The filter in the page's address, so that one can come back to it. */
export function useFilter(): [VideosFilter, (filter: VideosFilter) => void] {
  const [params, setParams] = useSearchParams()
  const [filter, setFilter] = useState(() => filterOf(params))
  const [settled] = useDebouncedValue(filter, ADDRESS_DELAY_MS)
  const shown = useRef(params.toString())
  useEffect(() => {
    // A link led here, such as that of the sidebar.
    if (params.toString() === shown.current) return
    shown.current = params.toString()
    setFilter(filterOf(params))
  }, [params])
  useEffect(() => {
    const wanted = paramsOf(settled)
    if (wanted.toString() === paramsOf(filterOf(new URLSearchParams(shown.current))).toString()) return
    shown.current = wanted.toString()
    setParams(wanted, { replace: true, preventScrollReset: true })
  }, [settled, setParams])
  return [filter, setFilter]
}
