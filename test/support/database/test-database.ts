import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { z } from 'zod'
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
  // The copy of a small database by its files takes half the work of one by its pages and the log.
  await asAdmin(adminUrl, `create database ${name} template ${template} strategy file_copy`)
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
  const server = given ? { adminUrl: given, stop: async () => {} } : await startDatabaseServer()
  const template = `test_template_${randomBytes(6).toString('hex')}`
  const stop = async () => {
    await asAdmin(server.adminUrl, `drop database if exists ${template} with (force)`)
    await server.stop()
    // What starts databases next in this process must not look for a server that has ended.
    if (!given) delete process.env['TEST_DATABASE_URL']
    delete process.env['TEST_DATABASE_TEMPLATE']
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

/** How a server reaches the database: through the pooler at TEST_POOLER_URL where one is given. */
export function databaseEnv(url: string): Record<string, string> {
  const pooler = process.env['TEST_POOLER_URL']
  if (!pooler) return { DATABASE_URL: url }
  const name = new URL(url).pathname.slice(1)
  return { DATABASE_URL: urlOf(pooler, name), DATABASE_DIRECT_URL: url }
}

const Addresses = z.object({ url: z.string(), adminUrl: z.string() })

/** An embedded PostgreSQL in a process of its own, that ends with ours: see `database-server.ts`. */
export async function startDatabaseServer(dir?: string) {
  const file = fileURLToPath(new URL('database-server.ts', import.meta.url))
  const child = spawn(process.execPath, [file, ...(dir === undefined ? [] : [dir])], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // Ctrl-C must not end it before the tests that use it
  })
  const exited = once(child, 'exit')
  let line = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    line += String(chunk)
    if (line.endsWith('\n')) break
  }
  const stop = async () => {
    child.stdin.end()
    await exited
  }
  return { child, stop, ...Addresses.parse(JSON.parse(line)) }
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
