import type { z } from 'zod'
import { PostsQuery } from '#contract/posts.ts'
import type { PostConditions } from '#web/api/queries.ts'

/** What narrows a list of posts to a brand, an account, a platform or some days. */
export type ListConditions = Pick<PostConditions, 'brandId' | 'accountId' | 'platform' | 'from' | 'to'>

const { brandId, accountId, platform, from, to } = PostsQuery.shape

/** Reads them from an address; invalid values are ignored. */
export function parseListConditions(params: URLSearchParams): ListConditions {
  const read = <T extends z.ZodType>(name: string, schema: T): z.output<T> | undefined =>
    schema.safeParse(params.get(name) ?? undefined).data
  return withoutUndefined({
    brandId: read('brand', brandId),
    accountId: read('account', accountId),
    platform: read('platform', platform),
    from: read('from', from),
    to: read('to', to),
  })
}

/** Writes them as parameters of an address. */
export const formatListConditions = (conditions: ListConditions): Record<string, string> =>
  withoutUndefined({
    brand: conditions.brandId?.toString(),
    account: conditions.accountId?.toString(),
    platform: conditions.platform,
    from: conditions.from,
    to: conditions.to,
  })

export const hasConditions = (conditions: object): boolean =>
  Object.keys(withoutUndefined(conditions)).length > 0

/** Equal conditions must be equal query keys. */
export const withoutUndefined = <T extends object>(all: T) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  } // fromEntries forgets the keys
