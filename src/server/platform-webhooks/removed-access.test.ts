import { describe, expect, it } from 'vitest'
import { control, linkAccount, until } from '#test/support/test-server.ts'
import { runAccessChecks } from './access-checks.ts'
import {
  FORBIDDEN,
  readHealth,
  startWebhookFixture,
  OK,
  signedRequest,
} from '#test/support/webhook-fixture.ts'

const {
  testServer,
  seconds,
  pass,
  sendTikTok,
  removed,
  sendMeta,
  link,
  newCreator,
  readRow,
  countCalls,
  revokedAtTikTok,
} = startWebhookFixture()

describe('a webhook about removed access', () => {
  it('is ignored while the platform accepts our token', async () => {
    const creator = await newCreator('tiktok')
    const linked = await link('tiktok', creator)
    const { external_id: openId } = await readRow(linked.accountId)
    const before = await countCalls('user_info', creator)
    pass(1000)
    expect(await sendTikTok(removed(openId))).toEqual(OK)
    await until('TikTok to be asked', async () => (await countCalls('user_info', creator)) === before + 1)
    expect(await readHealth(linked)).toBe('ok')
  })

  it('is checked, and every row of the account is marked for linking again', async () => {
    const creator = await newCreator('tiktok')
    const [ada, bo] = [await link('tiktok', creator), await link('tiktok', creator)]
    const { external_id: openId } = await readRow(ada.accountId)
    await revokedAtTikTok(ada.accountId)
    await revokedAtTikTok(bo.accountId)
    pass(1000)
    const text = removed(openId)
    expect(await sendTikTok(text)).toEqual(OK)
    for (const each of [ada, bo])
      await until('the account to say so', async () => (await readHealth(each)) === 'relink')

    // The same old notice after the account was linked again.
    pass(1000)
    await linkAccount(ada.someone, { platform: 'tiktok', brandId: ada.brandId, creator })
    const asked = await countCalls('user_info', creator)
    expect(await sendTikTok(text)).toEqual(OK)
    // Older than the link, and unknown.
    expect(await sendTikTok(removed(openId, seconds() - 100))).toEqual(OK)
    expect(await readRow(ada.accountId)).toMatchObject({ access_check_until: null })
    expect([await readHealth(ada), await countCalls('user_info', creator)]).toEqual(['ok', asked])
  })

  it('is checked again until the platform answers, and for ten minutes after a denial', async () => {
    const creator = await newCreator('tiktok')
    const linked = await link('tiktok', creator)
    const { external_id: openId } = await readRow(linked.accountId)
    pass(1000)
    const before = await countCalls('user_info', creator)
    await control(testServer().practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'user_info',
      fault: 'html_502',
      account: creator,
    })
    expect(await sendTikTok(removed(openId))).toEqual(OK)
    await until('TikTok to be asked', async () => (await countCalls('user_info', creator)) === before + 1)
    expect(await readHealth(linked)).toBe('ok')
    const again = async () => {
      await runAccessChecks(testServer().deps, { limit: 1000 })
      return (await readRow(linked.accountId)).access_check_until !== null
    }
    expect(await again()).toBe(true)
    pass(600_000)
    expect(await again()).toBe(false)
    expect(await readHealth(linked)).toBe('ok')
  })

  it('is accepted from Meta as a form with either id of the account', async () => {
    for (const id of ['external_id', 'app_scoped_id'] as const) {
      const creator = await newCreator('instagram')
      const linked = await link('instagram', creator)
      const userId = (await readRow(linked.accountId))[id]
      expect(userId).toMatch(/^\d+$/)
      pass(1000)
      await control(testServer().practiceUrl, 'POST', '/_control/faults', {
        platform: 'instagram',
        call: 'me',
        fault: 'token_expired',
        account: creator,
      })
      const signed = signedRequest({ user_id: userId, issued_at: seconds() })
      expect(await sendMeta('deauthorize', signed)).toEqual(OK)
      await until('the account to say so', async () => (await readHealth(linked)) === 'relink')
    }
  })

  it('does nothing if forged or for an unknown account', async () => {
    const creator = await newCreator('instagram')
    const linked = await link('instagram', creator)
    const { external_id: userId } = await readRow(linked.accountId)
    pass(1000)
    const payload = { user_id: userId, issued_at: seconds() }
    expect(await sendMeta('deauthorize', signedRequest(payload, 'guessed'))).toEqual(FORBIDDEN)
    expect(await sendMeta('deauthorize', signedRequest({ ...payload, algorithm: 'none' }))).toEqual(FORBIDDEN)
    expect(await sendMeta('deauthorize', signedRequest({ ...payload, user_id: '1' }))).toEqual(OK)
    expect(await readRow(linked.accountId)).toMatchObject({ access_check_until: null, relink_reason: null })
  })
})
