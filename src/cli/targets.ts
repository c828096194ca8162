import { accountOnPlatform, type Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { User } from '#contract/users.ts'
import { call } from './client.ts'
import { Stop } from './ends.ts'
import type { Server } from './settings.ts'

const AT = '--at "2026-12-24 18:30"'

/** A wall clock time as the API takes it. Only the server knows whether a zone has it. @throws Stop */
export function parseAt(text: string): string {
  const [, day, hour, minute] = /^(\d{4}-\d{2}-\d{2})[T ]+(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? []
  if (day !== undefined && hour !== undefined && minute !== undefined)
    return `${day}T${hour.padStart(2, '0')}:${minute}`
  if (/^\d{4}-\d{2}-\d{2}$/.test(text.trim()))
    throw new Stop('refused', `"${text}" is a day without an hour. Write when: --at "${text.trim()} 18:30".`)
  if (/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.trim()) && /^\d{4}-/.test(text.trim()))
    throw new Stop(
      'refused',
      `"${text}" has an offset. Write the wall clock time and its zone: ${AT} --timezone Europe/Lisbon.`,
    )
  throw new Stop('refused', `"${text}" is not a day and an hour. Write ${AT}.`)
}

/** Who gets a post, in the words of `--to`: `@handle`, `platform:@handle`, an account's id, or a brand's title. @throws Stop */
export async function findTargets(
  server: Server,
  asked: readonly string[],
): Promise<{ readonly accounts: readonly Account[]; readonly brands: readonly Brand[] }> {
  const [accounts, brands] = await Promise.all([
    call(server, 'listAccounts', {}),
    call(server, 'listBrands', {}),
  ])
  const found = asked.flatMap((text) => {
    const brand = findBrand(brands, accounts, text)
    // A brand's title may contain a comma.
    return (
      brand ??
      text
        .split(',')
        .filter((one) => one.trim() !== '')
        .flatMap((one) => findBrand(brands, accounts, one) ?? [findAccount(accounts, one.trim())])
    )
  })
  if (found.length === 0) throw new Stop('refused', 'Say to which accounts: --to @maria.bakes,@nova.')
  const chosen = [...new Map(found.map((account) => [account.account_id, account])).values()]
  return {
    accounts: chosen,
    brands: brands.filter(({ brand_id: id }) => chosen.some((one) => one.brand_id === id)),
  }
}

function findBrand(brands: readonly Brand[], accounts: readonly Account[], text: string): Account[] | null {
  const title = text
    .trim()
    .replace(/^brand:/i, '')
    .toLowerCase()
  const named = brands.filter((brand) => brand.title.toLowerCase() === title)
  const [brand] = named
  if (brand === undefined) return null
  if (named.length > 1)
    throw new Stop('refused', `Several brands are called ${brand.title}. Name their accounts.`)
  const its = accounts.filter(({ brand_id: id }) => id === brand.brand_id)
  if (its.length === 0) throw new Stop('refused', `${brand.title} has no accounts.`)
  return its
}

function findAccount(accounts: readonly Account[], text: string): Account {
  const [, platform, name = ''] = /^(?:(\w+):)?(.*)$/.exec(text) ?? []
  const handle = name.replace(/^@/, '').toLowerCase()
  const isNamed = (account: Account) =>
    (platform === undefined || account.platform === platform.toLowerCase()) &&
    account.username?.toLowerCase() === handle
  const byId = /^\d+$/.test(text)
    ? accounts.find((account) => account.account_id === Number(text))
    : undefined
  const matching = byId ? [byId] : accounts.filter(isNamed)
  const [account] = matching
  if (account === undefined)
    throw new Stop('refused', `There is no account or brand "${text}". See: reelay accounts`)
  if (matching.length > 1) {
    const names = matching.map((one) => `${one.platform}:@${handle} (${one.account_id})`)
    throw new Stop('refused', `Several accounts are called ${text}. Name one: ${names.join(', ')}.`)
  }
  if (!account.can_publish)
    throw new Stop('refused', `${accountOnPlatform(account)} did not allow posting. Link it again.`)
  return account
}

/** The zone of the accounts' brands, or the user's where they differ. */
export async function findZone(server: Server, brands: readonly Brand[]): Promise<string> {
  const user: User = await call(server, 'getUser', {})
  const zones = new Set(brands.map(({ timezone }) => timezone ?? user.timezone))
  const [zone] = zones
  return zones.size === 1 && zone !== undefined ? zone : user.timezone
}
