import type { z } from 'zod'
import { POST_COUNTS, type PostCount, PostsQuery } from '#contract/posts.ts'
import type { PostConditions } from '#web/api/queries.ts'

/** What the address of the queue says. */
export type Shown = { readonly status: PostCount; readonly conditions: PostConditions }

const { brandId, accountId, platform, from, to, search } = PostsQuery.shape
const NAMES = { brand: brandId, account: accountId, platform, from, to, search } as const

/** Reads the address; invalid values are ignored. */
export function shownBy(params: URLSearchParams): Shown {
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

/** The address: only what differs from all posts. */
export const paramsOf = ({ status, conditions }: Shown): URLSearchParams =>
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
