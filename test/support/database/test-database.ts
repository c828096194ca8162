import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { z } from 'zod'
import { migrate } from '#server/db/migrate.ts'

export type TestDatabase = { url: string; drop: () => Promise<void> }

/**
 * A new, migrated database for a test file, copied from the template of `startTestDatabases`. Drop it afterwards
 * (`afterAll(() => database.drop())`).
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const [adminUrl, template] = [process.env['TEST_DATABASE_URL'], process.env['TEST_DATABASE_TEMPLATE']]
  if (!adminUrl || !template)
    throw new Error('No test database: run under vitest, or call startTestDatabases first.')
  // Copying a small database by files costs half as much as by pages and log.
  await asAdmin(adminUrl, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`),
  }
}

/**
 * One PostgreSQL for the tests of a run: the one at TEST_DATABASE_URL (a role that may create databases), else an embedded
 * one in a temporary folder. Sets TEST_DATABASE_URL and TEST_DATABASE_TEMPLATE for this process and its children. @returns
 * a function that stops and deletes it
 */
export async function startTestDatabases(): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const server = given ? { adminUrl: given, stop: async () => {} } : await startDatabaseServer()
  const template = `test_template_${randomBytes(6).toString('hex')}`
  const stop = async () => {
    await asAdmin(server.adminUrl, `drop database if exists ${template} with (force)`)
    await server.stop()
    // Later starts in this process must not look for a server that has ended.
    if (!given) delete process.env['TEST_DATABASE_URL']
    delete process.env['TEST_DATABASE_TEMPLATE']
  }
  try {
    await asAdmin(server.adminUrl, `create database ${template}`)
    await migrate(databaseUrl(server.adminUrl, template))
  } catch (error) {
    await stop()
    throw error
  }
  process.env['TEST_DATABASE_URL'] = server.adminUrl
  process.env['TEST_DATABASE_TEMPLATE'] = template
  return stop
}

/** The server's connection settings, through the pooler at TEST_POOLER_URL if set. */
export function databaseEnv(url: string): Record<string, string> {
  const pooler = process.env['TEST_POOLER_URL']
  if (!pooler) return { DATABASE_URL: url }
  const name = new URL(url).pathname.slice(1)
  return { DATABASE_URL: databaseUrl(pooler, name), DATABASE_DIRECT_URL: url }
}

const Addresses = z.object({ url: z.string(), adminUrl: z.string() })

/** Starts an embedded PostgreSQL in a process that ends with ours: see `database-server.ts`. */
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

function databaseUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}
