import { z } from 'zod'
import type { Brand } from '#contract/brands.ts'
import { AccountId } from '#contract/ids.ts'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { firstLetter } from '#contract/well-formed.ts'
import type { PresetOf } from '#web/presets/presets-query.ts'
import type { Judged, Readiness } from './readiness.ts'

type BrandGroup<J extends Judged> = { readonly brand: Brand; readonly accounts: readonly J[] }

/** Accounts by brand, in the order of the brands; those that a search leaves. */
export function byBrand<J extends Judged>(
  brands: readonly Brand[],
  judged: readonly J[],
  search: string,
): readonly BrandGroup<J>[] {
  const words = search.trim().toLowerCase()
  const isFound = (title: string, { live }: Judged) =>
    words === '' || `${accountName(live.account)} ${title}`.toLowerCase().includes(words)
  return brands
    .map((brand) => ({
      brand,
      accounts: judged.filter(
        (one) => one.live.account.brand_id === brand.brand_id && isFound(brand.title, one),
      ),
    }))
    .filter(({ accounts }) => accounts.length > 0)
}

/** Those that "Select all" takes: nobody wants one that cannot be posted to, or not now. */
export const selectable = (judged: readonly Judged[]): readonly Judged[] =>
  judged.filter(({ live, readiness: { kind } }) => live.selected || WHY_UNWANTED[kind] === undefined)

const WHY_UNWANTED: Partial<Record<Readiness['kind'], string>> = {
  relink: 'must be linked again',
  off: 'is on a platform that is not set up on this server',
  paused: 'is paused',
  held: 'is held',
  started: 'has begun to post',
}

export const idsOf = (judged: readonly Judged[]): readonly AccountId[] =>
  judged.map(({ live }) => live.account.account_id)

export const selectedIn = (judged: readonly Judged[]): readonly Judged[] =>
  judged.filter(({ live }) => live.selected)

/** `some`: at least one is selected, and at least one more could be. */
export function selectionOf(judged: readonly Judged[]): 'none' | 'some' | 'all' {
  const selected = selectedIn(judged).length
  if (selected === 0) return 'none'
  return selected < selectable(judged).length ? 'some' : 'all'
}

/** The accounts of a set that choosing it does not select, with the reasons; null: it selects all. */
export function leftOutText(
  { content, gone }: Pick<PresetOf<'accounts'>, 'content' | 'gone'>,
  judged: readonly Judged[],
): string | null {
  const wanted = new Set(idsOf(selectable(judged)))
  const unwanted = judged.filter(
    ({ live: { account } }) =>
      content.account_ids.includes(account.account_id) && !wanted.has(account.account_id),
  )
  const named = [
    ...gone.map(({ name, platform }) => `${name} on ${PLATFORM_NAMES[platform]} is no longer linked`),
    ...unwanted.map(
      ({ live, readiness }) => `${accountOnPlatform(live.account)} ${WHY_UNWANTED[readiness.kind] ?? ''}`,
    ),
  ]
  return named.length === 0 ? null : `Left out: ${named.join(', ')}.`
}

/** In whatever order. */
export const haveSame = (some: readonly AccountId[], others: readonly AccountId[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id))

/** "NB" of "Northwind Bakery". */
export const initialsOf = (title: string): string =>
  title
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => firstLetter(word).toUpperCase())
    .join('')

/** The accounts of the last post, in the browser. */
export const LAST_SELECTION = 'compose accounts'
export const LastSelection = z.array(AccountId)
