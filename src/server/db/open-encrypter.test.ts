import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { linkAccount, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { openDb } from '#base/db/open.ts'
import { openEncrypter } from './open-encrypter.ts'

let testServer: TestServer
let secret: string
let dataDir: string
beforeAll(async () => {
  testServer = await startTestServer()
  secret = testServer.env['SECRET_KEY'] ?? ''
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  await linkAccount(ada, { platform: 'tiktok', brandId })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'reelay-key-'))
  return () => rm(dataDir, { recursive: true })
})

const open = (secretKey: string | null, { db } = testServer.deps) => openEncrypter({ secretKey, dataDir }, db)

it('the first start on an empty database makes the key', async () => {
  const database = await createTestDatabase()
  const db = openDb(database.url)
  await openEncrypter({ secretKey: null, dataDir }, db)
  expect((await readFile(path.join(dataDir, 'secret.key'), 'utf8')).trim()).toHaveLength(43)
  await db.destroy()
  await database.drop()
})

it('a key file that is gone is named, and no other is made', async () => {
  await expect(open(null)).rejects.toThrow(`${dataDir}/secret.key is gone`)
  expect(await readdir(dataDir)).toEqual([])
})

it('the key file of another database is named', async () => {
  await writeFile(path.join(dataDir, 'secret.key'), 'x'.repeat(43))
  await expect(open(null)).rejects.toThrow(
    `The key in ${dataDir}/secret.key is not the one that encrypted this database: put the right file back`,
  )
})

it('a wrong SECRET_KEY is named, and the right one is taken at any place of its list', async () => {
  await expect(open('y'.repeat(40))).rejects.toThrow('SECRET_KEY is not the one that encrypted this database')
  for (const list of [secret, `new,${secret}`, `${secret},new`]) await open(list)
})

it('without any copy of the key the documented statement gives up what it encrypted', async () => {
  const docs = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  const statement = /-c "(delete from identity_keys;[^"]*)"/.exec(docs)?.[1] ?? ''
  for (const one of statement.split(';')) await sql.raw(one).execute(testServer.deps.db)
  await open(null)
  expect(await readdir(dataDir)).toEqual(['secret.key'])
})
