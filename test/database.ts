import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '#server/db/embedded.ts'
import { migrate } from '#server/db/migrate.ts'

export type TestDatabase = { url: string; drop: () => Promise<void> }

/**
 * A fresh, migrated database of its own for a test file: a copy of the template that `startTestDatabases` made.
 * Drop it when the file is done (`afterAll(() => database.drop())`).
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const [adminUrl, template] = [process.env['TEST_DATABASE_URL'], process.env['TEST_DATABASE_TEMPLATE']]
  if (!adminUrl || !template)
    throw new Error('No test database: run under vitest, or call startTestDatabases first.')
  await asAdmin(adminUrl, `create database ${name} template ${template}`)
  return {
    url: urlOf(adminUrl, name),
    drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`),
  }
}

/**
 * The PostgreSQL that the tests of one run share: the one at TEST_DATABASE_URL (a role that may create databases), else an
 * embedded one in a temporary folder. Sets TEST_DATABASE_URL and TEST_DATABASE_TEMPLATE for this process and its children.
 * @returns what ends it and leaves nothing behind.
 */
export async function startTestDatabases(): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const server = given ? { adminUrl: given, stop: async () => {} } : await startTemporary()
  const template = `test_template_${randomBytes(6).toString('hex')}`
  const stop = async () => {
    await asAdmin(server.adminUrl, `drop database if exists ${template} with (force)`)
    await server.stop()
  }
  try {
    await asAdmin(server.adminUrl, `create database ${template}`)
    await migrate(urlOf(server.adminUrl, template))
  } catch (error) {
    await stop()
    throw error
  }
  process.env['TEST_DATABASE_URL'] = server.adminUrl
  process.env['TEST_DATABASE_TEMPLATE'] = template
  return stop
}

async function startTemporary(): Promise<{ adminUrl: string; stop: () => Promise<void> }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-test-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const { adminUrl, stop } = await startEmbeddedPostgres({
    dir: path.join(dir, 'postgres'),
    say: console.log,
    durable: false,
  })
  return {
    adminUrl,
    stop: async () => {
      await stop()
      await rm(dir, { recursive: true })
    },
  }
}

async function asAdmin(adminUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}
