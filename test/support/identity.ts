import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { deleteApp, initializeApp } from '@firebase/app'
import { initializeAuth, inMemoryPersistence } from '@firebase/auth'
import type { Auth } from '@firebase/auth'
import { pino } from 'pino'
import { z } from 'zod'
import { openDb } from '#base/db/open.ts'
import type { Db } from '#base/db/open.ts'
import { createEmbeddedIdentity } from '#identity/embedded.ts'
import type { EmbeddedIdentityDeps } from '#identity/embedded.ts'
import { deleteIdentityUser } from '#identity/identity.ts'
import type { Admit, Identity } from '#identity/identity.ts'
import { createMailbox } from '#base/mail/mailbox.ts'
import { createEncrypter } from '#base/encryption.ts'
import { CHEAP_HASHES } from './cheap-hashes.ts'
import { createTestDatabase } from './database/test-database.ts'
import { freePort } from './ports/free-port.ts'
import { until } from './test-server.ts'

export const PASSWORD = 'correct horse'
export const SECRET = 'a secret of thirty-two characters'
export const encrypter = createEncrypter([SECRET])

export type IdentityFixture = {
  readonly app: FastifyInstance
  readonly db: Db
  readonly databaseUrl: string
  readonly identity: Identity
  readonly publicUrl: string
  /** Advances the service's clock, which stands still otherwise. */
  advance(ms: number): void
  readonly now: () => number
  /** The browser SDK with its own store. */
  browser(): Auth
  /** Waits for an unread mail to this address; `mode` as in its link. */
  nextMail(to: string, mode?: string): Promise<Mail>
  mails(): Promise<Mail[]>
  readonly calls: readonly IdentityCall[]
  /** The service in another process, sharing only the database. */
  another(): Promise<Pick<IdentityFixture, 'app' | 'close'>>
  close(): Promise<void>
}

export type IdentityCall = { readonly method: string; readonly path: string; readonly body: unknown }

export const Mail = z.object({
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
  at: z.iso.datetime(),
})
export type Mail = z.infer<typeof Mail>

export const admitAll: Admit = async () => ({ kind: 'admitted', use: async () => {} })

/** The identity service as the server mounts it, with its own port and database. */
export async function startIdentity(
  overrides: Partial<
    Pick<
      EmbeddedIdentityDeps,
      'rules' | 'mail' | 'log' | 'hashCost' | 'admit' | 'recordProviderLogin' | 'providers'
    >
  > = {},
): Promise<IdentityFixture> {
  const database = await createTestDatabase()
  const db = openDb(database.url)
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-mailbox-'))
  let clock = Date.now()
  const now = () => clock
  const port = await freePort() // the issuer contains the port
  const publicUrl = `http://127.0.0.1:${port}`
  const service = (over: Db) => ({
    db: over,
    encrypter,
    mail: createMailbox({ dir, from: 'Reelay <reelay@example.test>' }),
    now,
    log: pino({ level: 'silent' }),
    publicUrl,
    eraseUser: (uid: string) => deleteIdentityUser(over, uid),
    admit: admitAll,
    recordProviderLogin: async () => {},
    providers: [],
    rules: {},
    keyDays: 90,
    hashCost: CHEAP_HASHES,
    ...overrides,
  })
  const identity = await createEmbeddedIdentity(service(db))
  const app = fastify()
  const calls: IdentityCall[] = []
  app.addHook('preHandler', async ({ method, url, body }) => {
    calls.push({ method, path: new URL(url, publicUrl).pathname.replace('/identity', ''), body })
  })
  if (identity.plugin) await app.register(identity.plugin, { prefix: '/identity' })
  await app.listen({ port, host: '127.0.0.1' })

  const browsers: Auth[] = []
  const read = new Set<string>()
  const mails = async () => {
    const names = (await readdir(dir)).filter((name) => name.endsWith('.json')).toSorted()
    return Promise.all(names.map(async (name) => ({ name, ...(await readMail(path.join(dir, name))) })))
  }
  return {
    app,
    db,
    databaseUrl: database.url,
    identity,
    publicUrl,
    now,
    advance: (ms) => {
      clock += ms
    },
    browser() {
      const auth = initializeAuth(initializeApp({ apiKey: 'reelay' }, `browser-${browsers.length}-${port}`), {
        persistence: inMemoryPersistence,
      })
      auth.config.apiHost = `127.0.0.1:${port}/identity`
      auth.config.tokenApiHost = `127.0.0.1:${port}/identity`
      auth.config.apiScheme = 'http'
      browsers.push(auth)
      return auth
    },
    mails,
    calls,
    async another() {
      const own = openDb(database.url)
      const { plugin } = await createEmbeddedIdentity(service(own))
      const second = fastify()
      if (plugin) await second.register(plugin, { prefix: '/identity' })
      const close = async () => {
        await second.close()
        await own.destroy()
      }
      return { app: second, close }
    },
    async nextMail(to, mode = '') {
      const isNew = (mail: Mail & { name: string }) =>
        mail.to === to && !read.has(mail.name) && mail.text.includes(`?mode=${mode}`)
      const mail = await until(`a mail to ${to}`, async () => (await mails()).find(isNew) ?? null)
      read.add(mail.name)
      return mail
    },
    async close() {
      await Promise.all(browsers.map((auth) => deleteApp(auth.app)))
      await app.close()
      await db.destroy()
      await database.drop()
      await rm(dir, { recursive: true })
    },
  }
}

export function linkIn(mail: { readonly text: string }): string {
  const link = /https?:\/\/\S+/.exec(mail.text)?.[0]
  if (!link) throw new Error(`There is no link in: ${mail.text}`)
  return link
}

export function codeIn(mail: { readonly text: string }): string {
  const code = new URL(linkIn(mail)).searchParams.get('oobCode')
  if (!code) throw new Error(`There is no code in: ${mail.text}`)
  return code
}

async function readMail(file: string): Promise<Mail> {
  return Mail.parse(JSON.parse(await readFile(file, 'utf8')))
}
