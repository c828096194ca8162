import { z } from 'zod'
import type { Brand } from '#contract/brands.ts'
import { AccountId } from '#contract/ids.ts'
import { accountName } from '#contract/accounts.ts'
import { firstLetter } from '#contract/well-formed.ts'
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
  judged.filter(({ live, readiness: { kind } }) => live.selected || !UNWANTED.has(kind))

const UNWANTED: ReadonlySet<Readiness['kind']> = new Set(['relink', 'off', 'paused', 'held', 'started'])

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
