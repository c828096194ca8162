import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { paramsOf, type Shown, shownBy } from './conditions.ts'

export type Show = (
  next: Partial<Shown>,
  /** Whether "back" skips what was shown before. */
  replace?: boolean,
) => void

/** What the queue shows, which its address says, so that one can come back to it. */
export function useShown(): [Shown, Show] {
  const [params, setParams] = useSearchParams()
  const address = params.toString()
  const [shown, setShown] = useState(() => shownBy(params))
  // The address follows later than the next change may come.
  const latest = useRef(shown)
  const written = useRef(new Set([address]))
  useEffect(() => {
    if (written.current.has(address)) return
    // Something else led here, such as a link.
    latest.current = shownBy(new URLSearchParams(address))
    written.current = new Set([address])
    setShown(latest.current)
  }, [address])
  const show: Show = ({ status, conditions }, replace = false) => {
    const before = latest.current
    latest.current = { status: status ?? before.status, conditions: conditions ?? before.conditions }
    setShown(latest.current)
    const next = paramsOf(latest.current)
    if (replace) written.current.add(next.toString())
    else written.current = new Set([next.toString()])
    setParams(next, { replace, preventScrollReset: true })
  }
  return [shown, show]
}
