import { accountName } from '#contract/accounts.ts'
import { POST_TARGETS_MAX } from '#contract/limits.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { cutText } from '#contract/well-formed.ts'
import type { AccountRow } from '../accounts/store.ts'
import type { AccountSet } from '../presets/store.ts'

/** More than so many accounts or videos of one name are not listed. */
export const SAME_NAME_SHOWN = 5

export const cut = (cell: string): string => (cell.length > 60 ? `${cutText(cell, 60)}…` : cell)

export const idIn = (cell: string): number | null => (/^[1-9]\d{0,14}$/.test(cell) ? Number(cell) : null)

/** The names of accounts and sets in a cell. Between quotation marks the name of a set may have spaces. */
export const wordsIn = (cell: string): string[] => cell.match(/set:["“”„][^"“”„]*["“”„]?|[^\s,;]+/gi) ?? []

/** The name of the set that a word names, or null if it names an account. */
export const setNameIn = (word: string): string | null =>
  /^set:["“”„]?([^"“”„]*)/i.exec(word)?.[1]?.trim() ?? null

type ByName = ReadonlyMap<string, readonly AccountRow[]>

/** What a cell can name: linked accounts, and sets by their names as the file writes them. */
export type Nameable = { readonly byName: ByName; readonly sets: ReadonlyMap<string, AccountSet> }

export function accountsByName(accounts: readonly AccountRow[]): ByName {
  const byName = new Map<string, AccountRow[]>()
  for (const account of accounts) {
    const handle = account.username?.toLowerCase()
    const names = handle === undefined ? [] : [handle, `${account.platform}:${handle}`]
    for (const name of [`#${account.account_id}`, ...names])
      byName.set(name, [...(byName.get(name) ?? []), account])
  }
  return byName
}

/** `tiktok:@nova`, `@nova` if it is unique, or an id. */
function normalizeName(word: string): string {
  const id = idIn(word)
  return id === null ? word.toLowerCase().replace('@', '') : `#${id}`
}

type Named = { readonly account: AccountRow; readonly set: string | null }

/** The accounts that the words of a cell name, in their order. One that a set has beside another word is there once. */
export function findAccounts(
  nameable: Nameable,
  words: readonly string[],
  report: (message: string) => void,
): AccountRow[] {
  if (words.length === 0) report(`Name at least one account, such as ${PLATFORM_IDS[0]}:@nova.`)
  if (words.length > POST_TARGETS_MAX) return refuseMany(report)
  const sets = new Set<string>()
  const named = words.flatMap((word): Named[] => {
    const set = setNameIn(word)
    if (set === null) return findAccount(nameable, word, report)
    if (sets.has(set)) return []
    sets.add(set)
    return accountsOfSet(nameable, { word, name: set }, report)
  })
  const accounts = withoutRepeats(named)
  return accounts.length > POST_TARGETS_MAX ? refuseMany(report) : accounts
}

function refuseMany(report: (message: string) => void): AccountRow[] {
  report(`A post goes to up to ${POST_TARGETS_MAX} accounts.`)
  return []
}

function findAccount({ byName }: Nameable, word: string, report: (message: string) => void): Named[] {
  const found = byName.get(normalizeName(word)) ?? []
  const [account, ...others] = found
  if (!account) report(`“${cut(word)}” is not one of your linked accounts.`)
  if (others.length > 0) {
    const names = found.slice(0, SAME_NAME_SHOWN).map((one) => exactName(found, one))
    report(`“${cut(word)}” matches several of your accounts. Use ${names.join(' or ')}.`)
  }
  return account && others.length === 0 ? [{ account, set: null }] : []
}

function accountsOfSet(
  { byName, sets }: Nameable,
  { word, name }: { readonly word: string; readonly name: string },
  report: (message: string) => void,
): Named[] {
  const set = sets.get(name)
  if (!set) {
    const hint = /["“”„]/.test(word) ? '' : ' A name with spaces stands in quotation marks: set:"All shops".'
    report(`You have no set called “${cut(name)}”.${hint}`)
    return []
  }
  for (const gone of set.gone)
    report(`${gone.name} on ${PLATFORM_NAMES[gone.platform]}, in the set “${set.name}”, is no longer linked.`)
  return set.content.account_ids
    .flatMap((id) => byName.get(`#${id}`) ?? [])
    .map((account) => ({ account, set: set.name }))
}

/** An account that is named twice by itself is left to be refused. */
function withoutRepeats(named: readonly Named[]): AccountRow[] {
  const own = new Set(named.flatMap(({ account, set }) => (set === null ? [account.account_id] : [])))
  return named
    .filter(({ account: { account_id: id }, set }) => {
      if (set === null) return true
      if (own.has(id)) return false
      own.add(id)
      return true
    })
    .map(({ account }) => account)
}

const exactName = (among: readonly AccountRow[], account: AccountRow): string =>
  among.filter(({ platform }) => platform === account.platform).length > 1
    ? `${account.account_id} (${account.display_name})`
    : `${account.platform}:${accountName(account)}`
