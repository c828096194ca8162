import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountId, BrandId } from '#contract/ids.ts'
import { fail, ok } from '#domain/failure.ts'
import type { Tokens } from '#platforms/platform.ts'
import {
  control,
  type House,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startHouse,
} from '#test/harness.ts'
import { accessOf, openTokens, refreshDue, sealTokens, withAccess } from './access.ts'

let house: House
let someone: Person
let brandId: BrandId
beforeAll(async () => {
  house = await startHouse()
})
afterAll(() => house.stop())

async function newAccount(): Promise<AccountId> {
  someone = await signUp(house)
  brandId = (await someone.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  return (await linkAccount(someone, { platform: 'tiktok', brandId })).account_id
}

const refreshes = async () =>
  (await platformCalls(house)).filter(({ platform, call }) => platform === 'tiktok' && call === 'refresh')
    .length

async function tokensOf(accountId: number): Promise<Tokens> {
  const { tokens } = await house.deps.db
    .selectFrom('accounts')
    .select('tokens')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return openTokens(house.deps.sealer, tokens ?? Buffer.alloc(0))
}

async function change(accountId: number, changed: Partial<Tokens>): Promise<void> {
  const tokens = sealTokens(house.deps.sealer, { ...(await tokensOf(accountId)), ...changed })
  await house.deps.db.updateTable('accounts').set({ tokens }).where('account_id', '=', accountId).execute()
}

const accountOf = async () => (await someone.call('listAccounts'))[0]
const healthOf = async () => (await accountOf())?.health.status

describe('access to an account', () => {
  it('is what was granted while it is fresh', async () => {
    const id = await newAccount()
    const before = await refreshes()
    const access = await accessOf(house.deps, id)
    expect(access).toMatchObject({ ok: true, value: { username: 'nova' } })
    expect(await refreshes()).toBe(before)
  })

  it('is refreshed ahead of its expiry, and the new pair is kept', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 86_000_000 })
    const access = await accessOf(house.deps, id)
    const kept = await tokensOf(id)
    expect(access).toMatchObject({ ok: true, value: { accessToken: kept.accessToken } })
    expect(kept.accessExpiresAt).toBeGreaterThan(Date.now() + 3_600_000)
  })

  it('is refreshed once, however many ask at the same moment', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() - 1, issuedAt: Date.now() - 86_400_001 })
    const before = await refreshes()
    const all = await Promise.all(Array.from({ length: 8 }, () => accessOf(house.deps, id)))
    const token = (await tokensOf(id)).accessToken
    expect(all.map((access) => access.ok && access.value.accessToken)).toEqual(Array(8).fill(token))
    expect(await refreshes()).toBe(before + 1)
  })

  it('outlasts a platform that cannot be reached, as long as the old pair works', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 86_000_000 })
    await control(house.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'refresh',
      fault: 'status_500',
    })
    expect(await accessOf(house.deps, id)).toMatchObject({ ok: true })
    expect(await healthOf()).toBe('ok')
  })

  it('fails as unreachable, and the account stays linked, when it has expired and the platform cannot be reached', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() - 1, issuedAt: Date.now() - 86_400_001 })
    await control(house.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'refresh',
      fault: 'html_502',
    })
    expect(await accessOf(house.deps, id)).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
    expect(await healthOf()).toBe('ok')
    expect(await accessOf(house.deps, id)).toMatchObject({ ok: true })
  })

  it('ends when the platform says that the grant is gone, and the account says so', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() - 1, issuedAt: 0, refreshToken: 'rft.gone' })
    const gone = { ok: false, failure: { kind: 'account', expired: false } }
    expect(await accessOf(house.deps, id)).toMatchObject(gone)
    expect(await accountOf()).toMatchObject({ health: { status: 'relink' }, access_ends_at: null })
    expect(await accessOf(house.deps, id)).toMatchObject(gone)
  })

  it('is renewed and the call made again when the platform calls it expired', async () => {
    const id = await newAccount()
    await control(house.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'creator_info',
      fault: 'token_expired',
    })
    const before = (await tokensOf(id)).accessToken
    const options = await someone.call('getAccountOptions', { params: { accountId: id } })
    expect(options).toMatchObject({ platform: 'tiktok', username: 'nova' })
    expect((await tokensOf(id)).accessToken).not.toBe(before)
  })

  it('is not renewed again for a token that another call has renewed meanwhile', async () => {
    const id = await newAccount()
    const before = await refreshes()
    const reason = { code: 'x', message: 'Expired.', remedy: 'None.', detail: null }
    const old = (await tokensOf(id)).accessToken
    const calls = Array.from({ length: 5 }, () =>
      withAccess(house.deps, id, async ({ accessToken }) =>
        accessToken === old ? fail({ kind: 'account', expired: true, reason }) : ok(accessToken),
      ),
    )
    for (const answer of await Promise.all(calls)) expect(answer.ok).toBe(true)
    expect(await refreshes()).toBe(before + 1)
  })

  it('is renewed while nobody posts', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 86_000_000 })
    const { db } = house.deps
    await db
      .updateTable('accounts')
      .set({ refresh_due_at: new Date(0) })
      .where('account_id', '=', id)
      .execute()
    await db
      .updateTable('accounts')
      .set({ access_ends_at: new Date(0) })
      .where('account_id', '=', id)
      .execute()
    await refreshDue(house.deps, 10)
    const ends = Date.parse((await accountOf())?.access_ends_at ?? '')
    expect(ends, 'its end moves on').toBeGreaterThan(Date.now() + 300 * 86_400_000)
    expect((await tokensOf(id)).accessExpiresAt).toBeGreaterThan(Date.now() + 3_600_000)
  })

  it('tells the name and the picture anew, which are kept', async () => {
    const id = await newAccount()
    await house.deps.db
      .updateTable('accounts')
      .set({ username: null, avatar_url: 'https://example.com/lapsed.jpg' })
      .where('account_id', '=', id)
      .execute()
    const options = await someone.call('getAccountOptions', { params: { accountId: id } })
    expect(await accountOf()).toMatchObject({ username: 'nova', avatar_url: options.avatar_url })
  })

  it('is nobody’s once the account is unlinked', async () => {
    const id = await newAccount()
    await someone.call('unlinkAccount', { params: { accountId: id } })
    expect(await accessOf(house.deps, id)).toMatchObject({ ok: false, failure: { kind: 'account' } })
  })
})
