import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useSearchParams } from 'react-router'
import { z } from 'zod'
import { AccountId, BrandId } from '#contract/ids.ts'
import { CalendarStatus } from '#contract/planning/calendar.ts'
import { rangeOf, VIEWS, type Range, type View } from './range.ts'

/** On narrow screens a list reads better than a grid. The same breakpoint as in the style sheets. */
const IS_PHONE = '(max-width: 37.49em)'

function onPhoneChange(changed: () => void): () => void {
  const query = matchMedia(IS_PHONE)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

const Day = z.iso.date()

export type CalendarFilter = {
  readonly brandId: BrandId | undefined
  readonly accountId: AccountId | undefined
  readonly status: CalendarStatus | undefined
}

type CalendarAddress = {
  readonly range: Range
  readonly filter: CalendarFilter
  readonly go: (change: { view?: View; anchor?: string }) => void
  readonly setFilter: (change: Partial<CalendarFilter>) => void
}

/** The state of the calendar is in its address, so that a reload and a link show the same. */
export function useCalendarAddress(today: string): CalendarAddress {
  const [search, setSearch] = useSearchParams()
  const isPhone = useSyncExternalStore(onPhoneChange, () => matchMedia(IS_PHONE).matches)
  const view = VIEWS.find((one) => one === search.get('view')) ?? (isPhone ? 'list' : 'week')
  const anchor = Day.safeParse(search.get('date')).data ?? today
  // A change that the router has not shown yet; the next change adds to it.
  const sent = useRef<URLSearchParams | null>(null)
  useEffect(() => {
    if (sent.current?.toString() === search.toString()) sent.current = null
  }, [search])
  const set = useCallback(
    (change: Readonly<Record<string, string | number | undefined>>) => {
      const next = new URLSearchParams(sent.current ?? search)
      for (const [name, value] of Object.entries(change))
        if (value === undefined) next.delete(name)
        else next.set(name, String(value))
      sent.current = next
      setSearch(next, { preventScrollReset: true, replace: true })
    },
    [search, setSearch],
  )
  const go = useCallback<CalendarAddress['go']>(
    (change) =>
      set({
        ...(change.view && { view: change.view }),
        ...(change.anchor !== undefined && { date: change.anchor === today ? undefined : change.anchor }),
      }),
    [set, today],
  )
  return {
    range: useMemo(() => rangeOf(view, anchor), [view, anchor]),
    filter: {
      brandId: BrandId.safeParse(search.get('brand') ?? undefined).data,
      accountId: AccountId.safeParse(search.get('account') ?? undefined).data,
      status: CalendarStatus.safeParse(search.get('status') ?? undefined).data,
    },
    go,
    setFilter: (change) =>
      set({
        ...('brandId' in change && { brand: change.brandId }),
        ...('accountId' in change && { account: change.accountId }),
        ...('status' in change && { status: change.status }),
      }),
  }
}
