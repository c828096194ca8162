import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { linkAccount, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { reEncryptAll } from './re-encrypt.ts'
import { createEncrypter } from '#base/encryption.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

it('re-encrypts everything except values that are being refreshed', async () => {
  const { db } = testServer.deps
  const ada = await signUp(testServer)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const one = await linkAccount(ada, { platform: 'tiktok', brandId: brand_id })
  const other = await linkAccount(ada, { platform: 'instagram', brandId: brand_id })
  const { webhook } = await ada.call('createWebhook', {
    body: { address: 'https://hooks.example.com/', events: ['post.failed'] },
  })
  await ada.call('rotateWebhookSecret', { params: { webhookId: webhook.webhook_id } })
  const lease = (until: Date | null) =>
    db
      .updateTable('accounts')
      .set({ refresh_leased_until: until })
      .where('account_id', '=', other.account_id)
      .execute()
  const tokens = async (accountId: number) => {
    const row = await db
      .selectFrom('accounts')
      .select('tokens')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    return row.tokens ?? Buffer.alloc(0)
  }

  const newest = randomUUID()
  const both = createEncrypter([newest, testServer.env['SECRET_KEY'] ?? ''])
  const alone = createEncrypter([newest])
  const [before, held] = [await tokens(one.account_id), await tokens(other.account_id)]
  expect(() => alone.decrypt(before)).toThrow('Encrypted with a key that is not in SECRET_KEY.')

  await lease(new Date(Date.now() + 60_000))
  expect(await reEncryptAll(db, both)).toEqual([
    { what: 'signing keys', done: 1, left: 0 },
    { what: 'accounts', done: 1, left: 1 },
    { what: 'mails that wait', done: 0, left: 0 },
    { what: 'platform keys', done: 0, left: 0 },
    { what: 'webhooks', done: 1, left: 0 },
    { what: 'old secrets of webhooks', done: 1, left: 0 },
    { what: 'deliveries', done: 0, left: 0 },
  ])
  expect(alone.decrypt(await tokens(one.account_id))).toBe(both.decrypt(before))
  expect(await tokens(other.account_id)).toEqual(held)

  await lease(null)
  expect(await reEncryptAll(db, both)).toMatchObject([
    { done: 0 },
    { done: 1, left: 0 },
    { done: 0 },
    { done: 0 },
    { done: 0 },
    { done: 0 },
    { done: 0 },
  ])
  expect(alone.decrypt(await tokens(other.account_id))).toBe(both.decrypt(held))
  expect((await reEncryptAll(db, both)).every(({ done, left }) => done + left === 0)).toBe(true)
})

it('stops at a value that no configured secret decrypts', async () => {
  await expect(reEncryptAll(testServer.deps.db, createEncrypter([randomUUID()]))).rejects.toThrow(
    'Encrypted with a key that is not in SECRET_KEY.',
  )
})
