import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { ZONE_PARAM } from './zone.tsx'

export type ShowView<View> = (
  next: Partial<View>,
  /** Replaces the history entry, so that "back" skips the view before. */
  replace?: boolean,
) => void

/** The state of a list, kept in the address, so that one can come back to it. `parse` ignores what it does not know. */
export function useAddressView<View extends object>(
  parse: (params: URLSearchParams) => View,
  format: (view: View) => URLSearchParams,
): [View, ShowView<View>] {
  const [params, setParams] = useSearchParams()
  const address = params.toString()
  const [view, setView] = useState(() => parse(params))
  // The address follows later than the next change may come.
  const latest = useRef(view)
  const written = useRef(new Set([address]))
  useEffect(() => {
    if (written.current.has(address)) return
    // Something else led here, such as a link.
    latest.current = parse(new URLSearchParams(address))
    written.current = new Set([address])
    setView(latest.current)
  }, [address, parse])
  const show: ShowView<View> = (change, replace = false) => {
    latest.current = { ...latest.current, ...change }
    setView(latest.current)
    const next = format(latest.current)
    const zone = params.get(ZONE_PARAM)
    if (zone !== null) next.set(ZONE_PARAM, zone)
    if (replace) written.current.add(next.toString())
    else written.current = new Set([next.toString()])
    setParams(next, { replace, preventScrollReset: true })
  }
  return [view, show]
}
