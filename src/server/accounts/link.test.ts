import { createEncrypter } from '#base/encryption.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Account } from '#contract/accounts.ts'
import type { BrandId } from '#contract/ids.ts'
import { ACCOUNTS_MAX, ACCOUNTS_PER_BRAND_MAX } from '#contract/limits.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import {
  consent,
  control,
  type TestServer,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
  until,
} from '#test/support/test-server.ts'
import { postTikTok } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

async function newPerson(): Promise<{ someone: Person; brandId: BrandId }> {
  const someone = await signUp(testServer)
  const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  return { someone, brandId: brand_id }
}

type Start = { readonly state: string; readonly code: string }

async function started(
  someone: Person,
  brandId: BrandId,
  choice: { accountId?: number; creator?: string; scopes?: string[] } = {},
): Promise<Start> {
  const { url, state } = await someone.call('startLink', {
    params: { platform: 'tiktok' },
    body: { brand_id: brandId, ...(choice.accountId && { account_id: choice.accountId }) },
  })
  const { creator = 'nova', scopes } = choice
  const back = await consent(url, { creator, decision: 'approve', ...(scopes && { scopes }) })
  return { state, code: back.searchParams.get('code') ?? '' }
}

async function finish(someone: Person, body: object): Promise<{ status: number; body: unknown }> {
  const answer = await someone.request('/platforms/tiktok/login', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  return { status: answer.status, body: await answer.json() }
}

async function refusalOf(someone: Person, body: object): Promise<string> {
  const { status, body: problem } = await finish(someone, body)
  return `${status} ${ProblemBody.parse(problem).code}`
}

const exchanges = async () =>
  (await platformCalls(testServer)).filter(({ platform, call }) => platform === 'tiktok' && call === 'token')
    .length

const days = ({ access_ends_at }: Account): number =>
  Math.round((Date.parse(access_ends_at ?? '') - Date.now()) / 86_400_000)

const fill = (brandId: BrandId, accounts: number) =>
  sql`insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
    select user_id, brand_id, 'tiktok', 'full-' || brand_id || '-' || n, 'nova', 'Nova', '{}', true, ''
    from brands cross join generate_series(1, ${accounts}::int) n where brand_id = ${brandId}`.execute(
    testServer.deps.db,
  )

describe('too many accounts', () => {
  it('of a brand are refused at the start, at the end and when one is moved there', async () => {
    const { someone, brandId } = await newPerson()
    const { brand_id: other } = await someone.call('createBrand', { body: { title: 'Other' } })
    const start = await started(someone, brandId, { creator: 'nova' })
    const { account_id: accountId } = await linkAccount(someone, {
      platform: 'tiktok',
      brandId: other,
      creator: 'atlas',
    })
    await fill(brandId, ACCOUNTS_PER_BRAND_MAX)
    const full = `409 conflict This brand has ${ACCOUNTS_PER_BRAND_MAX} accounts; the limit is ${ACCOUNTS_PER_BRAND_MAX}. Choose another brand, or unlink an account first.`
    const refusal = async (address: string, method: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await someone.request(address, { method, headers, body: JSON.stringify(body) })
      const { code, message } = ProblemBody.parse(await answer.json())
      return `${answer.status} ${code} ${message}`
    }
    expect(await refusal('/platforms/tiktok/authorize', 'POST', { brand_id: brandId })).toBe(full)
    expect(await refusal('/platforms/tiktok/login', 'POST', start)).toBe(full)
    expect(await refusal(`/accounts/${accountId}/brand`, 'PUT', { brand_id: brandId })).toBe(full)
    // An existing account can be linked again beyond the limit.
    await testServer.deps.db
      .updateTable('accounts')
      .set({ brand_id: brandId })
      .where('account_id', '=', accountId)
      .execute()
    const again = await started(someone, brandId, { accountId, creator: 'atlas' })
    expect((await finish(someone, again)).status).toBe(200)
  })

  it('of a user are refused', async () => {
    const { someone } = await newPerson()
    const brands: BrandId[] = []
    for (let i = 0; i <= ACCOUNTS_MAX / ACCOUNTS_PER_BRAND_MAX; i += 1)
      brands.push((await someone.call('createBrand', { body: { title: `Brand ${i}` } })).brand_id)
    const [last, ...others] = brands
    for (const brandId of others) await fill(brandId, ACCOUNTS_PER_BRAND_MAX)
    const start = someone.call('startLink', {
      params: { platform: 'tiktok' },
      body: { brand_id: last ?? 0 },
    })
    await expect(start).rejects.toThrow(
      `You have ${ACCOUNTS_MAX} linked accounts; the limit is ${ACCOUNTS_MAX}.`,
    )
  })
})

describe('linking an account', () => {
  it('ends with the account in its brand', async () => {
    const { someone, brandId } = await newPerson()
    const account = await linkAccount(someone, { platform: 'tiktok', brandId })
    expect(account).toMatchObject({ username: 'nova', can_publish: true, health: { status: 'ok' } })
    expect(await someone.call('listAccounts', { query: { brandId } })).toEqual([account])
    expect(await someone.call('listBrands')).toMatchObject([{ brand_id: brandId, linkedAccounts: 1 }])
  })

  it('sent twice at once makes one account with one platform call', async () => {
    const { someone, brandId } = await newPerson()
    const start = await started(someone, brandId)
    const before = await exchanges()
    const answers = await Promise.all([
      finish(someone, start),
      finish(someone, start),
      finish(someone, start),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => (body as Account).account_id)).size).toBe(1)
    expect(await exchanges()).toBe(before + 1)
  })

  it('sent twice answers the same refusal twice', async () => {
    const { someone, brandId } = await newPerson()
    const { state } = await started(someone, brandId)
    const wrong = { state, code: 'not-a-code' }
    expect(await refusalOf(someone, wrong)).toBe('422 link_refused')
    const before = await exchanges()
    expect(await refusalOf(someone, wrong)).toBe('422 link_refused')
    expect(await exchanges()).toBe(before)
  })

  it("is refused with an unknown state, another user's or another brand's", async () => {
    const [{ someone, brandId }, other] = await Promise.all([newPerson(), newPerson()])
    const { state, code } = await started(someone, brandId)
    const before = await exchanges()
    expect(await refusalOf(someone, { state: 'made-up', code })).toBe('422 link_refused')
    expect(await refusalOf(other.someone, { state, code })).toBe('422 link_refused')
    expect(await refusalOf(someone, { state, code, brand_id: other.brandId })).toBe('422 link_refused')
    expect(await exchanges()).toBe(before)
    expect((await finish(someone, { state, code, brand_id: brandId })).status).toBe(200)
  })

  it('is refused after ten minutes, before the platform is asked', async () => {
    const { someone, brandId } = await newPerson()
    const start = await started(someone, brandId)
    const before = await exchanges()
    const late = testServer.deps.db
      .updateTable('link_attempts')
      .set({ created_at: new Date(Date.now() - 660_000) })
    await late.where('brand_id', '=', brandId).execute()
    expect(await refusalOf(someone, start)).toBe('422 link_refused')
    expect(await exchanges()).toBe(before)
  })

  it('without the permission to post makes an account that shows the lack', async () => {
    const { someone, brandId } = await newPerson()
    const start = await started(someone, brandId, { scopes: ['user.info.basic'] })
    const { account_id } = Account.parse((await finish(someone, start)).body)
    const seen = async () => (await someone.call('listAccounts'))[0]
    expect(await seen()).toMatchObject({ can_publish: false, health: { status: 'ok' } })

    // The platform would report it as withdrawn access, which is wrong.
    const options = await someone.request(`/accounts/${account_id}/options`)
    expect([options.status, ProblemBody.parse(await options.json()).code]).toEqual([409, 'conflict'])
    expect(await seen()).toMatchObject({ health: { status: 'ok' } })
  })

  it('without the permission to be identified is refused, and links nothing', async () => {
    const { someone, brandId } = await newPerson()
    const { status, body } = await finish(someone, await started(someone, brandId, { scopes: [] }))
    expect(status).toBe(422)
    expect(ProblemBody.parse(body).message).toBe(
      'TikTok did not say which account this is. Start again and leave every permission ticked.',
    )
    expect(await someone.call('listAccounts')).toEqual([])
  })

  it('uses the display name until the platform returns a handle', async () => {
    const { someone, brandId } = await newPerson()
    const link = async (scopes?: string[]) =>
      (await finish(someone, await started(someone, brandId, scopes ? { scopes } : {}))).body
    expect(await link(['user.info.basic'])).toMatchObject({ username: null, display_name: 'Nova' })
    expect(await link()).toMatchObject({ username: 'nova', can_publish: true })
    expect(await link(['user.info.basic'])).toMatchObject({ username: 'nova', can_publish: false })
  })

  it("redirects to the platform with the specified scopes and this server's callback", async () => {
    const { someone, brandId } = await newPerson()
    const asked = {
      tiktok: 'user.info.basic,video.upload,video.publish',
      instagram: 'instagram_business_basic,instagram_business_content_publish',
      youtube:
        'openid https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.readonly',
    }
    for (const platform of PLATFORM_IDS) {
      const { url, state } = await someone.call('startLink', {
        params: { platform },
        body: { brand_id: brandId },
      })
      expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
        scope: asked[platform],
        redirect_uri: `${testServer.config.publicUrl}/dashboard/oauth/${platform}/callback`,
        state,
      })
    }
  })

  it('reports when the access ends', async () => {
    const { someone, brandId } = await newPerson()
    expect(days(await linkAccount(someone, { platform: 'tiktok', brandId }))).toBe(365)
    expect(days(await linkAccount(someone, { platform: 'instagram', brandId }))).toBe(60)
  })

  it('of an account in another brand is refused and names that brand', async () => {
    const { someone, brandId } = await newPerson()
    await linkAccount(someone, { platform: 'tiktok', brandId })
    const other = await someone.call('createBrand', { body: { title: 'Other' } })
    const { status, body } = await finish(someone, await started(someone, other.brand_id))
    expect([status, body]).toMatchObject([409, { code: 'already_linked' }])
    expect(ProblemBody.parse(body).message).toContain('"Northwind"')
  })

  it('into a brand that is being deleted waits for the deletion and is refused', async () => {
    const { someone, brandId } = await newPerson()
    const start = await started(someone, brandId)
    const { db } = testServer.deps
    const profilesTold = async () =>
      (await platformCalls(testServer)).filter(({ call }) => call === 'user_info').length
    const before = await profilesTold()
    const linking = await db.transaction().execute(async (trx) => {
      await trx
        .updateTable('brands')
        .set({ deleted_at: new Date() })
        .where('brand_id', '=', brandId)
        .execute()
      const answer = finish(someone, start)
      await until('the platform to have told who it is', async () => (await profilesTold()) > before)
      await sleep(300)
      return { answer }
    })
    const { status, body } = await linking.answer
    expect(`${status} ${ProblemBody.parse(body).code}`).toBe('422 link_refused')
    expect(await someone.call('listAccounts')).toEqual([])
  })

  it('reports a failure of the platform as such', async () => {
    const { someone, brandId } = await newPerson()
    const start = await started(someone, brandId)
    await control(testServer.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'token',
      fault: 'status_500',
    })
    expect(await refusalOf(someone, start)).toBe('502 platform_failed')
  })
})

describe('linking an account again', () => {
  it('restores its access and wakes the deliveries that wait for it', async () => {
    const { someone, brandId } = await newPerson()
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId })
    const post = await postTikTok(someone, account_id, sampleVideo())
    const deliveryId = post.deliveries[0]?.delivery_id ?? 0
    const reason = { code: 'x', message: 'The access has ended.', remedy: 'Link it again.', detail: null }
    const { db } = testServer.deps
    await db
      .updateTable('deliveries')
      .set({
        state: 'blocked',
        wake_at: null,
        data: JSON.stringify({ attempt: 1, cause: 'account', until: null, reason }),
      })
      .where('delivery_id', '=', deliveryId)
      .execute()
    await db
      .updateTable('accounts')
      .set({ relink_reason: 'The access has ended.' })
      .where('account_id', '=', account_id)
      .execute()
    expect(await someone.call('listAccounts')).toMatchObject([{ health: { status: 'relink' } }])

    const again = await finish(someone, await started(someone, brandId, { accountId: account_id }))
    expect(again.body).toMatchObject({ account_id, health: { status: 'ok' } })
    const seen = await someone.call('getPost', { params: { postId: post.post_id } })
    expect(seen.deliveries).toMatchObject([{ status: 'scheduled' }])
  })

  it('with another account of the platform is refused by name', async () => {
    const { someone, brandId } = await newPerson()
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId })
    const start = await started(someone, brandId, { accountId: account_id, creator: 'atlas' })
    const { status, body } = await finish(someone, start)
    expect(status).toBe(422)
    expect(ProblemBody.parse(body).message).toBe(
      'You chose @atlas, but the account to link again is @nova. Log in there as @nova and start again.',
    )
    expect(await someone.call('listAccounts')).toMatchObject([{ account_id, username: 'nova' }])
  })

  it('after unlinking it from the same brand gives it its old place', async () => {
    const { someone, brandId } = await newPerson()
    const first = await linkAccount(someone, { platform: 'tiktok', brandId })
    await someone.call('unlinkAccount', { params: { accountId: first.account_id } })
    expect(await someone.call('listAccounts')).toEqual([])
    const second = await linkAccount(someone, { platform: 'tiktok', brandId })
    expect(second.account_id).toBe(first.account_id)
  })

  it('after unlinking it works where no secret reads its old tokens', async () => {
    const { someone, brandId } = await newPerson()
    const { account_id: accountId } = await linkAccount(someone, {
      platform: 'tiktok',
      brandId,
      creator: 'quiet',
    })
    const tokens = createEncrypter(['an older secret']).encrypt('{}')
    await testServer.deps.db
      .updateTable('accounts')
      .set({ tokens })
      .where('account_id', '=', accountId)
      .execute()
    await someone.call('unlinkAccount', { params: { accountId } })
    const again = await linkAccount(someone, { platform: 'tiktok', brandId, creator: 'quiet' })
    expect(again.account_id).toBe(accountId)
  })
})
