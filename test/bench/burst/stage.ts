import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { openDb } from '#base/db/open.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { DB } from '#base/db/tables.ts'
import { createEncrypter } from '#base/encryption.ts'
import { createPlatforms } from '#platforms/registry.ts'
import { practiceEnv } from '#server/practice.ts'
import { readConfig } from '#server/runtime/config.ts'
import { control } from '../../support/test-server.ts'
import { createTestDatabase, startTestDatabases } from '../../support/database/test-database.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { databaseProcess, type Usage, usageOf } from '../processes.ts'
import { makeFolder, startServer } from '../servers.ts'
import { type Creator, schedule, seedCreators, seedPerson } from './people.ts'

const PROGRAM = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const COUNTED = ['--import', import.meta.resolve('./statements.ts')]

/** Of a publication, as the practice platforms name them. */
const CALLS: Readonly<Record<PlatformId, readonly string[]>> = {
  tiktok: ['creator_info', 'init', 'final_chunk', 'status'],
  instagram: ['quota', 'create', 'container', 'publish', 'media'],
}

export const PARTS = ['worker', 'server', 'database', 'practice platforms'] as const
export type Part = (typeof PARTS)[number]
/** By the text of each statement, how often it was sent. */
export type Statements = Readonly<Record<string, number>>
export type Use = Readonly<Record<Part, Usage & { readonly statements: Statements }>>

/** Everything that a server consists of, each part in a process of its own. */
export type Stage = {
  readonly db: Kysely<DB>
  readonly creators: readonly Creator[]
  seedPerson(creators: readonly Creator[]): Promise<number>
  schedule(userIds: readonly number[], each: number, at: number): Promise<number[]>
  setWorkers(count: number): Promise<void>
  /** From now on the platforms take so long for each call of a publication (ms). */
  setAnswerMs(ms: number): Promise<void>
  use(): Promise<Use>
  stop(): Promise<void>
}

export async function openStage(accounts: number): Promise<Stage> {
  const dir = await makeFolder()
  const [practicePort, stopDatabases] = [await freePort(), await startTestDatabases()]
  const database = await createTestDatabase()
  const secret = randomBytes(32).toString('hex')
  const storageDir = path.join(dir, 'media')
  const shared = { DATABASE_URL: database.url, SECRET_KEY: secret, STORAGE_URL: `file://${storageDir}` }
  const creators = seedCreators(path.join(dir, 'practice'), accounts)
  const practiceVariables = { PRACTICE: 'shared', PRACTICE_PORT: String(practicePort) }
  const server = await startServer({ ...shared, ...practiceVariables, ROLE: 'web' }, COUNTED)
  const appUrl = `http://localhost:${server.port}`
  const practice = fork(
    PROGRAM('../../../src/simulators/main.ts'),
    ['--port', String(practicePort), '--dir', path.join(dir, 'practice'), '--app-url', appUrl],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: practiceEnv(process.env),
    },
  )
  await once(practice, 'message')
  const env = {
    ...shared,
    ...practiceEnv(process.env),
    ROLE: 'worker',
    DATA_DIR: dir,
    PORT: String(server.port),
    PUBLIC_URL: appUrl,
    ...practiceVariables,
    LOG_LEVEL: 'error',
    NODE_ENV: 'production',
  }
  const db = openDb(database.url)
  const root = await databaseProcess(process.env['TEST_DATABASE_URL'] ?? '')
  const encrypter = createEncrypter([secret])
  const platforms = createPlatforms(readConfig(env).platforms, Date.now)
  let workers: ChildProcess[] = []
  return {
    db,
    creators,
    seedPerson: (own) => seedPerson({ db, encrypter, platforms, storageDir }, own),
    schedule: (userIds, each, at) => schedule(db, userIds, each, at),
    async setWorkers(count) {
      while (workers.length < count) workers.push(await startWorker(env))
      for (const worker of workers.slice(count)) await end(worker)
      workers = workers.slice(0, count)
    },
    async setAnswerMs(ms) {
      await control(`http://localhost:${practicePort}`, 'DELETE', '/_control/faults')
      if (ms === 0) return
      for (const [platform, calls] of Object.entries(CALLS))
        for (const call of calls) {
          const fault = { platform, call, fault: 'slow', times: 1_000_000, ms }
          await control(`http://localhost:${practicePort}`, 'POST', '/_control/faults', fault)
        }
    },
    async use() {
      return {
        worker: await useOf(workers),
        server: await useOf([server.child]),
        database: { ...usageOf([root]), statements: {} },
        'practice platforms': { ...usageOf([practice.pid ?? 0]), statements: {} },
      }
    },
    async stop() {
      for (const worker of workers) await end(worker)
      await end(practice)
      await server.stop()
      await db.destroy()
      await database.drop()
      await stopDatabases()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function startWorker(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(PROGRAM('worker.ts'), { env, execArgv: COUNTED })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('A worker could not start.')))
  failed.catch(() => {})
  await Promise.race([once(child, 'message'), failed])
  return child
}

const useOf = async (children: readonly ChildProcess[]) => ({
  ...usageOf(children.flatMap(({ pid }) => pid ?? [])),
  statements: sumRows(await Promise.all(children.map(statementsOf))),
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

async function statementsOf(child: ChildProcess): Promise<Statements> {
  child.send('statements')
  const [{ statements }] = (await once(child, 'message')) as [{ statements: Statements }] // what statements.ts answers
  return statements
}

function sumRows(all: readonly Statements[]): Statements {
  const sums: Record<string, number> = {}
  for (const one of all)
    for (const [text, count] of Object.entries(one)) sums[text] = (sums[text] ?? 0) + count
  return sums
}
