import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountId, BrandId } from '#contract/ids.ts'
import { fail, ok, type Result } from '#domain/delivery/failure.ts'
import type { Platform, Tokens } from '#platforms/kit/platform.ts'
import {
  control,
  type TestServer,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
  until,
} from '#test/support/test-server.ts'
import { openDb } from '#base/db/open.ts'
import { getAccess, markForRelink, refreshDue, withAccess } from './access.ts'
import { accessColumns, decryptTokens, encryptTokens } from './tokens.ts'

let testServer: TestServer
let someone: Person
let brandId: BrandId
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

async function newAccount(creator = 'nova'): Promise<AccountId> {
  someone = await signUp(testServer)
  brandId = (await someone.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  return (await linkAccount(someone, { platform: 'tiktok', brandId, creator })).account_id
}

/** Nobody else has linked this creator. */
async function newCreator(username: string): Promise<string> {
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', { platform: 'tiktok', username })
  return username
}

const refreshes = async () =>
  (await platformCalls(testServer)).filter(
    ({ platform, call }) => platform === 'tiktok' && call === 'refresh',
  ).length

const revoked = async () =>
  (await platformCalls(testServer)).filter(({ call, status }) => call === 'revoke' && status === 200).length

async function tokensOf(accountId: number): Promise<Tokens> {
  const { tokens } = await testServer.deps.db
    .selectFrom('accounts')
    .select('tokens')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return decryptTokens(testServer.deps.encrypter, tokens ?? Buffer.alloc(0))
}

async function change(accountId: number, changed: Partial<Tokens>): Promise<void> {
  const tokens = encryptTokens(testServer.deps.encrypter, { ...(await tokensOf(accountId)), ...changed })
  await testServer.deps.db
    .updateTable('accounts')
    .set({ tokens })
    .where('account_id', '=', accountId)
    .execute()
}

const accountOf = async () => (await someone.call('listAccounts'))[0]
const HOUR_MS = 3_600_000

/** A day after the grant; by a minute, because clocks are sometimes set back by milliseconds. */
const expire = (accountId: number) =>
  change(accountId, { accessExpiresAt: Date.now() - 60_000, issuedAt: Date.now() - 24 * HOUR_MS - 60_000 })
/** Minutes before that. */
const agedAccess = (accountId: number) =>
  change(accountId, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 24 * HOUR_MS + 60_000 })

const rowOf = (accountId: number) =>
  testServer.deps.db
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()

const atRefresh = (fault: string, more: object = {}) =>
  control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform: 'tiktok',
    call: 'refresh',
    fault,
    ...more,
  })

const letGo = () => control(testServer.practiceUrl, 'DELETE', '/_control/faults')

const healthOf = async () => (await accountOf())?.health.status

describe('access to an account', () => {
  it('is the granted token until it nears its expiry', async () => {
    const id = await newAccount()
    const before = await refreshes()
    const access = await getAccess(testServer.deps, id)
    expect(access).toMatchObject({ ok: true, value: { username: 'nova' } })
    expect(await refreshes()).toBe(before)
  })

  it('is refreshed ahead of its expiry, and the new tokens are stored', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 86_000_000 })
    const access = await getAccess(testServer.deps, id)
    const kept = await tokensOf(id)
    expect(access).toMatchObject({ ok: true, value: { accessToken: kept.accessToken } })
    expect(kept.accessExpiresAt).toBeGreaterThan(Date.now() + 3_600_000)
  })

  it('is refreshed once for many concurrent callers', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() - 60_000, issuedAt: Date.now() - 86_460_000 })
    const before = await refreshes()
    const all = await Promise.all(Array.from({ length: 8 }, () => getAccess(testServer.deps, id)))
    const token = (await tokensOf(id)).accessToken
    expect(all.map((access) => access.ok && access.value.accessToken)).toEqual(Array(8).fill(token))
    expect(await refreshes()).toBe(before + 1)
  })

  it('stays usable while the platform is unreachable and the old token is valid', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 86_000_000 })
    await control(testServer.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'refresh',
      fault: 'status_500',
    })
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true })
    expect(await healthOf()).toBe('ok')
  })

  it('fails as unreachable and stays linked while an expired token cannot be refreshed', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() - 60_000, issuedAt: Date.now() - 86_460_000 })
    await control(testServer.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'refresh',
      fault: 'html_502',
    })
    expect(await getAccess(testServer.deps, id)).toMatchObject({
      ok: false,
      failure: { kind: 'unreachable' },
    })
    expect(await healthOf()).toBe('ok')
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true })
  })

  it('ends when the platform revokes the grant, and the account shows it', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() - 60_000, issuedAt: 0, refreshToken: 'rft.gone' })
    const gone = { ok: false, failure: { kind: 'account', expired: false } }
    expect(await getAccess(testServer.deps, id)).toMatchObject(gone)
    expect(await accountOf()).toMatchObject({ health: { status: 'relink' }, access_ends_at: null })
    expect(await getAccess(testServer.deps, id)).toMatchObject(gone)
  })

  it('is renewed and the call made again when the platform calls it expired', async () => {
    const id = await newAccount()
    await control(testServer.practiceUrl, 'POST', '/_control/faults', {
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
      withAccess(testServer.deps, id, async ({ accessToken }) =>
        accessToken === old ? fail({ kind: 'account', expired: true, reason }) : ok(accessToken),
      ),
    )
    for (const answer of await Promise.all(calls)) expect(answer.ok).toBe(true)
    expect(await refreshes()).toBe(before + 1)
  })

  it('is renewed without any post', async () => {
    const id = await newAccount()
    await change(id, { accessExpiresAt: Date.now() + 60_000, issuedAt: Date.now() - 86_000_000 })
    const { db } = testServer.deps
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
    await refreshDue(testServer.deps, 10)
    const ends = Date.parse((await accountOf())?.access_ends_at ?? '')
    expect(ends, 'its end moves on').toBeGreaterThan(Date.now() + 300 * 86_400_000)
    expect((await tokensOf(id)).accessExpiresAt).toBeGreaterThan(Date.now() + 3_600_000)
  })

  it('renewal updates the stored name and picture', async () => {
    const id = await newAccount()
    await testServer.deps.db
      .updateTable('accounts')
      .set({ username: null, avatar_url: 'https://example.com/lapsed.jpg' })
      .where('account_id', '=', id)
      .execute()
    const options = await someone.call('getAccountOptions', { params: { accountId: id } })
    expect(await accountOf()).toMatchObject({ username: 'nova', avatar_url: options.avatar_url })
  })

  it('is refused once the account is unlinked', async () => {
    const id = await newAccount()
    await someone.call('unlinkAccount', { params: { accountId: id } })
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: false, failure: { kind: 'account' } })
  })
})

describe('a refresh', () => {
  it('is made once for many processes', async () => {
    const id = await newAccount()
    await expire(id)
    await atRefresh('slow', { ms: 300 })
    const before = await refreshes()
    const other = openDb(testServer.deps.config.databaseUrl ?? testServer.env['DATABASE_URL'] ?? '')
    try {
      const all = await Promise.all(
        [testServer.deps, { ...testServer.deps, db: other }].flatMap((deps) =>
          Array.from({ length: 8 }, () => getAccess(deps, id)),
        ),
      )
      const token = (await tokensOf(id)).accessToken
      expect(all.map((access) => access.ok && access.value.accessToken)).toEqual(Array(16).fill(token))
    } finally {
      await other.destroy()
    }
    expect(await refreshes()).toBe(before + 1)
  })

  it('that the platform answers late occupies no database connection', async () => {
    await newAccount()
    const creators = Array.from({ length: 11 }, (_, i) => `slow${i}`)
    const ids = await Promise.all(
      creators.map(async (creator) => {
        await newCreator(creator)
        const account = await linkAccount(someone, { platform: 'tiktok', brandId, creator })
        await expire(account.account_id)
        return account.account_id
      }),
    )
    for (let each = 0; each < ids.length; each += 1) await atRefresh('hold', { ms: 600_000 })
    const refreshing = ids.map((id) => getAccess(testServer.deps, id))
    await until('all of them to be at it', async () => {
      const { leased } = await testServer.deps.db
        .selectFrom('accounts')
        .select(({ fn }) => fn.countAll<number>().as('leased'))
        .where('account_id', 'in', ids)
        .where('refresh_leased_until', 'is not', null)
        .executeTakeFirstOrThrow()
      return leased === ids.length
    })
    const first = await Promise.race([
      healthOf().then(() => 'the database'),
      ...refreshing.map((one) => one.then(() => 'a refresh')),
    ])
    expect(first).toBe('the database')
    await letGo()
    for (const access of await Promise.all(refreshing)) expect(access.ok).toBe(true)
  })

  it('by another process is waited for only when the old token has expired', async () => {
    const id = await newAccount()
    await agedAccess(id)
    const { accessToken } = await tokensOf(id)
    const lease = (refresh_leased_until: Date) =>
      testServer.deps.db
        .updateTable('accounts')
        .set({ refresh_leased_until })
        .where('account_id', '=', id)
        .execute()
    await lease(new Date(Date.now() + 60_000))
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true, value: { accessToken } })

    const before = await refreshes()
    const waiting = getAccess(testServer.deps, id, { refused: accessToken })
    await refreshDue(testServer.deps, 100)
    expect(await refreshes()).toBe(before)
    await lease(new Date(Date.now() - 1))
    expect(await waiting).toMatchObject({ ok: true })
    expect(await refreshes()).toBe(before + 1)
  })

  it('whose answer was not stored is repeated with the previous token', async () => {
    const id = await newAccount()
    await expire(id)
    await testServer.deps.platforms.tiktok?.refresh(await tokensOf(id))
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true })
    expect(await healthOf()).toBe('ok')
  })

  it('whose lost answer ended the old token needs a new link and is not repeated', async () => {
    const id = await newAccount()
    await expire(id)
    const rotate = (tiktok_refresh_rotation: string) =>
      control(testServer.practiceUrl, 'POST', '/_control/settings', { tiktok_refresh_rotation })
    await rotate('at_once')
    try {
      await atRefresh('drop_after')
      expect(await getAccess(testServer.deps, id)).toMatchObject({
        ok: false,
        failure: { kind: 'unreachable' },
      })
      expect(await healthOf(), 'a fault of the line unlinks nobody').toBe('ok')
      expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: false, failure: { kind: 'account' } })
      expect(await healthOf()).toBe('relink')
      const before = await refreshes()
      await getAccess(testServer.deps, id)
      await testServer.deps.db
        .updateTable('accounts')
        .set({ refresh_due_at: new Date(0) })
        .where('account_id', '=', id)
        .execute()
      await refreshDue(testServer.deps, 100)
      expect(await refreshes()).toBe(before)
    } finally {
      await rotate('on_use')
    }
    expect(await linkAccount(someone, { platform: 'tiktok', brandId })).toMatchObject({
      account_id: id,
      health: { status: 'ok' },
    })
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true })
  })

  it('ahead of expiry that failed is not repeated for hours and delays no other', async () => {
    const id = await newAccount()
    await agedAccess(id)
    await atRefresh('status_500')
    const before = await refreshes()
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true })
    expect(await getAccess(testServer.deps, id)).toMatchObject({ ok: true })
    await refreshDue(testServer.deps, 100)
    expect(await refreshes()).toBe(before + 1)
    const { refresh_due_at } = await rowOf(id)
    const inHours = ((refresh_due_at?.getTime() ?? 0) - Date.now()) / HOUR_MS
    expect(inHours).toBeGreaterThan(5.9)
    expect(inHours).toBeLessThan(24)
    await refreshDue({ ...testServer.deps, now: () => Date.now() + 7 * HOUR_MS }, 100)
    expect(await rowOf(id)).toMatchObject({ refresh_failures: 0 })
  })

  it('that fails is requested once for all waiting callers', async () => {
    const id = await newAccount()
    await expire(id)
    const { tiktok } = testServer.deps.platforms
    if (!tiktok) throw new Error('TikTok is on in tests')
    const reason = { code: 'x', message: 'Not reached.', remedy: 'Wait.', detail: null }
    const answered = Promise.withResolvers<Result<Tokens>>()
    let asked = 0
    const slow: Platform = {
      ...tiktok,
      refresh: () => {
        asked += 1
        return answered.promise
      },
    }
    const waiting = new Set<number>()
    const all = Array.from({ length: 8 }, (_, who) =>
      getAccess(
        {
          ...testServer.deps,
          platforms: { ...testServer.deps.platforms, tiktok: slow },
          now: () => {
            waiting.add(who)
            return Date.now()
          },
        },
        id,
      ),
    )
    await until('all to have looked', async () => waiting.size === all.length)
    answered.resolve(fail({ kind: 'unreachable', reason }))
    for (const access of await Promise.all(all)) {
      expect(access).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
    }
    expect(asked).toBe(1)
    expect(await getAccess(testServer.deps, id), 'and may be tried again').toMatchObject({ ok: true })
  })

  it('never delays unlinking, and tokens it obtains afterwards are revoked', async () => {
    const id = await newAccount(await newCreator('leaving'))
    await expire(id)
    await atRefresh('hold', { ms: 600_000 })
    const before = await revoked()
    const refreshing = getAccess(testServer.deps, id)
    await until('it to be under way', async () => (await rowOf(id)).refresh_leased_until !== null)
    const first = await Promise.race([
      someone.call('unlinkAccount', { params: { accountId: id } }).then(() => 'unlinked'),
      refreshing.then(() => 'refreshed'),
    ])
    expect(first).toBe('unlinked')
    await letGo()
    expect(await refreshing).toMatchObject({ ok: false, failure: { reason: { code: 'unlinked' } } })
    await until('it to be taken back', async () => (await revoked()) > before)
  })

  it('is spread over hours for accounts that were linked together', async () => {
    const id = await newAccount()
    const { platforms, encrypter } = testServer.deps
    if (!platforms.tiktok) throw new Error('TikTok is on in tests')
    const tokens = await tokensOf(id)
    const days = []
    for (let i = 0; i < 100; i++) {
      const { refresh_due_at } = accessColumns(encrypter, platforms.tiktok, tokens)
      days.push((refresh_due_at.getTime() - tokens.issuedAt) / (24 * HOUR_MS))
    }
    expect(Math.max(...days)).toBeLessThanOrEqual(7)
    expect(Math.min(...days)).toBeGreaterThan(6)
    expect(new Set(days.map((day) => Math.floor(day * 24))).size).toBeGreaterThan(8)
  })
})

describe('a refused token', () => {
  it('does not affect access that was granted meanwhile', async () => {
    const id = await newAccount()
    const { accessToken } = await tokensOf(id)
    await linkAccount(someone, { platform: 'tiktok', brandId })
    const reason = { code: 'x', message: 'The access has ended.', remedy: 'Link it again.', detail: null }
    expect(await markForRelink(testServer.deps, id, reason, accessToken)).toBe(false)
    expect(await healthOf()).toBe('ok')
    const now = (await tokensOf(id)).accessToken
    expect(await markForRelink(testServer.deps, id, reason, now)).toBe(true)
    expect(await healthOf()).toBe('relink')
  })
})

describe('unlinking', () => {
  it('revokes the access, renewing it first if it has expired', async () => {
    const id = await newAccount(await newCreator('gone'))
    await expire(id)
    const before = await revoked()
    await someone.call('unlinkAccount', { params: { accountId: id } })
    await until('the access to be taken back', async () => (await revoked()) > before)
  })

  it('keeps the access of another user who linked the same account', async () => {
    const creator = await newCreator('shared')
    const id = await newAccount(creator)
    const before = someone
    const theirs = await newAccount(creator)
    const revokedBefore = await revoked()
    await before.call('unlinkAccount', { params: { accountId: id } })
    const refused = (await tokensOf(theirs)).accessToken
    expect(await getAccess(testServer.deps, theirs, { refused })).toMatchObject({ ok: true })

    // Revocations are not awaited: one of the first unlinking would come before that of the last.
    await someone.call('unlinkAccount', { params: { accountId: theirs } })
    await until('the access to be taken back', async () => (await revoked()) > revokedBefore)
    expect(await revoked()).toBe(revokedBefore + 1)
  })

  it('keeps the access of another account that the same login at the platform has granted', async () => {
    const creators = [await newCreator('bakery'), await newCreator('brewery')]
    const first = await newAccount(creators[0])
    const second = (await linkAccount(someone, { platform: 'tiktok', brandId, creator: creators[1] ?? '' }))
      .account_id
    await testServer.deps.db
      .updateTable('accounts')
      .set({ grant_owner_id: '1157' })
      .where('account_id', 'in', [first, second])
      .execute()
    const revokedBefore = await revoked()
    await someone.call('unlinkAccount', { params: { accountId: first } })
    await someone.call('unlinkAccount', { params: { accountId: second } })
    await until('the access to be taken back', async () => (await revoked()) > revokedBefore)
    expect(await revoked()).toBe(revokedBefore + 1)
    const left = await testServer.deps.db
      .selectFrom('accounts')
      .select('account_id')
      .where('grant_owner_id', '=', '1157')
      .execute()
    expect(left).toEqual([])
  })
})
