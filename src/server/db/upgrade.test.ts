import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { signUp, startTestServer } from '#test/support/test-server.ts'
import { migrate } from './migrate.ts'

const FIXTURE = new URL('../../../test/fixtures/first-schema.sql', import.meta.url)
const SECRET_KEY = 'the secret of the first server in 2026'

it('what a server of the first schema had is there after the update, in the same states', async () => {
  const { url, drop } = await createTestDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public')
  await migrate(url, undefined, 1)
  await client.query(await readFile(FIXTURE, 'utf8'))
  const { rows: before } = await client.query<{ state: string }>(
    'select state from deliveries order by post_id',
  )
  await migrate(url)
  const testServer = await startTestServer({ env: { DATABASE_URL: url, SECRET_KEY } })
  try {
    const person = await signUp(testServer)
    // The built-in identity service came with the second migration.
    const { rows: signedUp } = await client.query<{ uid: string; email: string }>(
      'delete from users where user_id <> 1 returning uid, email',
    )
    await client.query('update users set uid = $1, email = $2 where user_id = 1', [
      signedUp[0]?.uid,
      signedUp[0]?.email,
    ])
    const posts = await Promise.all(
      before.map((_, nth) => person.call('getPost', { params: { postId: nth + 1 } })),
    )
    expect(posts.map(({ text, deliveries }) => [text, deliveries[0]?.status])).toEqual(
      before.map(({ state }, nth) => [`Post ${nth + 1}`, state]),
    )
    expect(posts[0]?.video).toMatchObject({ duration_s: 10, width: 1080, height: 1920 })
    expect(await person.call('listBrands')).toMatchObject([{ title: 'First brand' }])
    const { rows: encrypted } = await client.query<{ text: Buffer }>(
      `select tokens as text from accounts union all
      select session from deliveries where state in ('preparing', 'committing', 'processing', 'unconfirmed')`,
    )
    expect(encrypted.map(({ text }) => testServer.deps.encrypter.decrypt(text))).toEqual([
      '{"access":"first-access","refresh":"first-refresh"}',
      ...Array.from({ length: 4 }, () => '{"publish_id":"v_pub_1"}'),
    ])
    const { rowCount: lines } = await client.query(
      "select from delivery_events where message like 'It was %'",
    )
    expect(lines).toBe(before.length)
  } finally {
    await testServer.stop()
    await client.end()
    await drop()
  }
})
