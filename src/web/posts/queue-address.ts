import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { z } from 'zod'
import { POST_COUNTS, type PostCount, PostsQuery } from '#contract/posts.ts'
import type { PostConditions } from '#web/api/queries.ts'
import { ZONE_PARAM } from '#web/ui/zone.tsx'

/** The state of the queue is in its address, so that one can come back to it. */
export type QueueView = { readonly status: PostCount; readonly conditions: PostConditions }

export type ShowQueueView = (
  next: Partial<QueueView>,
  /** Replaces the history entry, so that "back" skips the view before. */
  replace?: boolean,
) => void

export function useQueueView(): [QueueView, ShowQueueView] {
  const [params, setParams] = useSearchParams()
  const address = params.toString()
  const [view, setView] = useState(() => parseQueueAddress(params))
  // The address follows later than the next change may come.
  const latest = useRef(view)
  const written = useRef(new Set([address]))
  useEffect(() => {
    if (written.current.has(address)) return
    // Something else led here, such as a link.
    latest.current = parseQueueAddress(new URLSearchParams(address))
    written.current = new Set([address])
    setView(latest.current)
  }, [address])
  const show: ShowQueueView = ({ status, conditions }, replace = false) => {
    const before = latest.current
    latest.current = { status: status ?? before.status, conditions: conditions ?? before.conditions }
    setView(latest.current)
    const next = formatQueueAddress(latest.current)
    const zone = params.get(ZONE_PARAM)
    if (zone !== null) next.set(ZONE_PARAM, zone)
    if (replace) written.current.add(next.toString())
    else written.current = new Set([next.toString()])
    setParams(next, { replace, preventScrollReset: true })
  }
  return [view, show]
}

const { brandId, accountId, platform, from, to, search } = PostsQuery.shape
const NAMES = { brand: brandId, account: accountId, platform, from, to, search } as const

/** Reads the address; invalid values are ignored. */
export function parseQueueAddress(params: URLSearchParams): QueueView {
  const read = <T extends z.ZodType>(name: keyof typeof NAMES, schema: T): z.output<T> | undefined =>
    schema.safeParse(params.get(name) ?? undefined).data
  const found = {
    brandId: read('brand', NAMES.brand),
    accountId: read('account', NAMES.account),
    platform: read('platform', NAMES.platform),
    from: read('from', NAMES.from),
    to: read('to', NAMES.to),
    search: read('search', NAMES.search)?.trim() || undefined,
  }
  return {
    status: POST_COUNTS.find((known) => known === params.get('status')) ?? 'all',
    conditions: withoutUndefined(found),
  }
}

/** Writes only what differs from all posts. */
export const formatQueueAddress = ({ status, conditions }: QueueView): URLSearchParams =>
  new URLSearchParams({
    ...(status !== 'all' && { status }),
    ...withoutUndefined({
      brand: conditions.brandId?.toString(),
      account: conditions.accountId?.toString(),
      platform: conditions.platform,
      from: conditions.from,
      to: conditions.to,
      search: conditions.search,
    }),
  })

export const hasConditions = (conditions: PostConditions): boolean =>
  Object.keys(withoutUndefined(conditions)).length > 0

/** Equal conditions must be equal query keys. */
const withoutUndefined = <T extends object>(all: T) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  } // fromEntries forgets the keys
