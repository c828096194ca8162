import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { linkAccount } from '#test/support/test-server.ts'
import { FORBIDDEN, startWebhookFixture, signedRequest, type Answer } from '#test/support/webhook-fixture.ts'

const { testServer, now, seconds, pass, sendMeta, link, newCreator, readRow } = startWebhookFixture()

describe('a request to delete a person’s data', () => {
  type Receipt = { url: string; confirmation_code: string }
  const receiptOf = ({ body }: Answer) => body as Receipt

  it('erases every row of the account, cancels waiting posts, keeps published ones', async () => {
    const creator = await newCreator('instagram')
    const [ada, bo] = [await link('instagram', creator), await link('instagram', creator)]
    await bo.someone.call('unlinkAccount', { params: { accountId: bo.accountId } })
    const { app_scoped_id: userId, external_id } = await readRow(ada.accountId)
    const { video_id } = await testServer()
      .deps.db.insertInto('videos')
      .values({
        user_id: (await readRow(ada.accountId)).user_id,
        storage_key: randomUUID(),
        filename: 'a.mp4',
        mime: 'video/mp4',
        size: 1,
        sha256: '0'.repeat(64),
        facts: '{}',
      })
      .returning('video_id')
      .executeTakeFirstOrThrow()
    const deliveryIn = async (state: 'scheduled' | 'published') => {
      const { db } = testServer().deps
      const { user_id } = await readRow(ada.accountId)
      const { post_id } = await db
        .insertInto('posts')
        .values({ user_id, video_id, text: 'Hello' })
        .returning('post_id')
        .executeTakeFirstOrThrow()
      const far = now() + 86_400_000
      const { delivery_id } = await db
        .insertInto('deliveries')
        .values({
          post_id,
          user_id,
          account_id: ada.accountId,
          platform: 'instagram',
          text: 'Hello',
          options: '{}',
          state,
          data: JSON.stringify(
            state === 'scheduled'
              ? { attempt: 1, dueAt: far, reason: null }
              : { attempt: 1, at: now(), postId: '1', url: 'https://www.instagram.com/reel/x/', locates: 1 },
          ),
          wake_at: state === 'scheduled' ? new Date(far) : null,
        })
        .returning('delivery_id')
        .executeTakeFirstOrThrow()
      return delivery_id
    }
    const [waiting, live] = [await deliveryIn('scheduled'), await deliveryIn('published')]

    const { db } = testServer().deps
    const { user_id, post_id } = await db
      .selectFrom('deliveries')
      .select(['user_id', 'post_id'])
      .where('delivery_id', '=', live)
      .executeTakeFirstOrThrow()
    const told = {
      user_id,
      kind: 'failed',
      subject: creator,
      title: '',
      message: '',
      facts: '',
      in_app: true,
    }
    for (const about of [{ post_id }, { account_id: ada.accountId }])
      await db
        .insertInto('notifications')
        .values({ ...told, ...about, at: new Date() })
        .execute()
    const notified = () =>
      db.selectFrom('notifications').select('notification_id').where('user_id', '=', user_id).execute()
    expect(await notified()).toHaveLength(2)

    const answer = await sendMeta('delete-data', signedRequest({ user_id: userId, issued_at: seconds() }))
    expect(answer.status).toBe(200)
    expect(await notified()).toEqual([])
    const { url, confirmation_code: code } = receiptOf(answer)
    expect(code).toMatch(/^[0-9a-z]{26}$/)
    expect(url).toBe(`${testServer().config.publicUrl}/data-deletion/${code}`)

    for (const { accountId } of [ada, bo]) {
      const row = await readRow(accountId)
      expect(row).toMatchObject({
        tokens: null,
        username: null,
        avatar_url: null,
        app_scoped_id: null,
        scopes: [],
      })
      expect(row.unlinked_at).not.toBeNull()
      expect(JSON.stringify(row)).not.toContain(creator)
      expect(JSON.stringify(row)).not.toContain(external_id)
    }
    expect(await ada.someone.call('listAccounts')).toEqual([])
    const states = await testServer()
      .deps.db.selectFrom('deliveries')
      .select(['delivery_id', 'state'])
      .where('account_id', '=', ada.accountId)
      .orderBy('delivery_id')
      .execute()
    expect(states).toEqual([
      { delivery_id: waiting, state: 'cancelled' },
      { delivery_id: live, state: 'published' },
    ])

    const page = await fetch(url.replace(testServer().config.publicUrl, testServer().url))
    const html = await page.text()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).toContain(code)
    expect(html).toContain('Your data was deleted')
    expect(html).not.toContain('<script')
    expect(html).not.toContain(creator)

    // An account that is linked again is a new one, so the old request does not concern it.
    pass(1000)
    const fresh = await linkAccount(ada.someone, { platform: 'instagram', brandId: ada.brandId, creator })
    expect(fresh.account_id).not.toBe(ada.accountId)
    const again = signedRequest({ user_id: userId, issued_at: seconds() - 1 })
    expect(receiptOf(await sendMeta('delete-data', again))).toEqual({ url, confirmation_code: code })
    expect(await readRow(fresh.account_id)).toMatchObject({ username: creator, unlinked_at: null })
  })

  it('sent many times at once is one request', async () => {
    const signed = signedRequest({ user_id: '26160000000000001', issued_at: 5 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendMeta('delete-data', signed)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const { url } = receiptOf(answers[0] ?? { status: 0, body: {} })
    const html = await (await fetch(url.replace(testServer().config.publicUrl, testServer().url))).text()
    expect(html).toContain('This server held no data about your account.')
  })

  it('with a forged signature deletes nothing', async () => {
    const creator = await newCreator('instagram')
    const { accountId } = await link('instagram', creator)
    const { external_id: userId } = await readRow(accountId)
    expect(await sendMeta('delete-data', signedRequest({ user_id: userId }, 'guessed'))).toEqual(FORBIDDEN)
    expect(await readRow(accountId)).toMatchObject({ username: creator, unlinked_at: null })
  })

  it('has a status page only under an issued code', async () => {
    for (const code of ['0'.repeat(26), 'x', '%3Cscript%3E', '%00', '..%2f..', 'A'.repeat(90)]) {
      const page = await fetch(`${testServer().url}/data-deletion/${code}`)
      const html = await page.text()
      expect([code, page.status]).toEqual([code, 404])
      expect(html).not.toContain('<script')
    }
  })
})
