import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { VideosFilter } from '#web/api/videos.ts'
import { filterOf, paramsOf } from './filter.ts'

/** Browsers limit how often an address changes. */
const ADDRESS_DELAY_MS = 400

/** The filter in the page's address, so that one can come back to it. */
export function useFilter(): [VideosFilter, (filter: VideosFilter) => void] {
  const [params, setParams] = useSearchParams()
  const [filter, setFilter] = useState(() => filterOf(params))
  const [settled] = useDebouncedValue(filter, ADDRESS_DELAY_MS)
  /** The address shown last, and those written since: the router may show one when the next is already written. */
  const addresses = useRef([params.toString()])
  useEffect(() => {
    const at = addresses.current.indexOf(params.toString())
    addresses.current = at === -1 ? [params.toString()] : addresses.current.slice(at)
    // A link led here, such as that of the sidebar.
    if (at === -1) setFilter(filterOf(params))
  }, [params])
  useEffect(() => {
    const wanted = paramsOf(settled)
    const latest = new URLSearchParams(addresses.current.at(-1))
    if (wanted.toString() === paramsOf(filterOf(latest)).toString()) return
    addresses.current.push(wanted.toString())
    setParams(wanted, { replace: true, preventScrollReset: true })
  }, [settled, setParams])
  return [filter, setFilter]
}
