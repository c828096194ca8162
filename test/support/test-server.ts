import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { API, type Api, type EndpointName } from '#contract/api/api.ts'
import type { Call, Endpoint, Reply } from '#contract/http/endpoint.ts'
import type { OptionalPermission, PlatformId } from '#contract/platforms/index.ts'
import { buildApp } from '#server/app.ts'
import { readConfig, type Config } from '#server/runtime/config.ts'
import { QUICK } from './quick-worker.ts'
import { startWorkers } from '#server/start-workers.ts'
import { workerDeps } from '#server/worker-deps.ts'
import { openDeps, type Deps } from '#server/deps.ts'
import { startPractice } from '#simulators/practice.ts'
import { CHEAP_HASHES } from './cheap-hashes.ts'
import { createTestDatabase, databaseEnv } from './database/test-database.ts'
import { freePort } from './ports/free-port.ts'
import { recordReplies } from './recorded-replies.ts'
import { openSampleFactsReader } from './sample-facts.ts'

/** The real server with its own database and practice platforms, each on a free port. */
export type TestServer = {
  readonly url: string
  readonly practiceUrl: string
  readonly deps: Deps
  readonly config: Config
  /** Another process needs this to join: the same database, folder and ports. */
  readonly env: Record<string, string>
  stop(): Promise<void>
}

export async function startTestServer(
  options: {
    worker?: boolean
    env?: Record<string, string>
    now?: () => number
    statementTimeoutMs?: number
    /** Reads the facts of uploaded videos; the product starts a process for each. */
    openFactsReader?: typeof openSampleFactsReader
  } = {},
): Promise<TestServer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-server-'))
  const [database, port] = await Promise.all([createTestDatabase(), freePort()])
  const practice = await startPractice({
    port: 0,
    dir: path.join(dir, 'practice'),
    appUrl: `http://localhost:${port}`,
    mailboxDir: path.join(dir, 'mailbox'),
  })
  const env = {
    PORT: String(port),
    PRACTICE_PORT: String(practice.port),
    DATA_DIR: dir,
    ...databaseEnv(database.url),
    SECRET_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'error',
    ...options.env,
  }
  const config = readConfig(env)
  const deps = await openDeps(config, config.databaseUrl ?? database.url, pino({ level: config.logLevel }), {
    readTime: options.now,
    hashCost: CHEAP_HASHES,
    // Tests insert thousands of rows in one statement, on slow machines.
    statementTimeoutMs: options.statementTimeoutMs ?? 300_000,
  })
  const app = await buildApp(deps, undefined, options.openFactsReader ?? openSampleFactsReader)
  const mismatches = recordReplies(app)
  await app.listen({ port, host: config.host })
  const worker = options.worker ? startWorkers(workerDeps(deps), QUICK) : null
  await control(`http://127.0.0.1:${practice.port}`, 'POST', '/_control/settings', {
    tiktok_processing_ms: 200,
    tiktok_moderation_ms: 200,
    instagram_processing_ms: 200,
    youtube_processing_ms: 200,
  })
  return {
    url: `http://127.0.0.1:${port}`,
    practiceUrl: `http://127.0.0.1:${practice.port}`,
    deps,
    config,
    env,
    async stop() {
      await worker?.stop()
      await app.close()
      await deps.close()
      await practice.close()
      await database.drop()
      await rm(dir, { recursive: true, force: true })
      if (mismatches.length > 0)
        throw new Error(
          `docs/api.json does not describe these replies:\n${[...new Set(mismatches)].join('\n')}`,
        )
    },
  }
}

/** Typed calls of the API with this user's token. */
export type Person = {
  readonly token: string
  readonly email: string
  call<N extends CallName>(name: N, input?: Partial<Call<Api[N]>>): Promise<Reply<Api[N]>>
  request(address: string, init?: RequestInit): Promise<Response>
}
type CallName = Exclude<EndpointName, 'streamEvents'>

export const PASSWORD = 'correct horse battery'

export async function signUp(testServer: Pick<TestServer, 'url'>, nickname = 'Ada'): Promise<Person> {
  const email = `${nickname.toLowerCase()}-${randomUUID()}@example.com`
  const created = await fetch(`${testServer.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': anyAddress() },
    body: JSON.stringify({ email, nickname, timezone: 'Europe/Lisbon', password: PASSWORD }),
  })
  if (created.status !== 201) throw new Error(`sign-up answered ${created.status}: ${await created.text()}`)
  return signIn(testServer, email)
}

/** Sent as a proxy on this machine would: one address may sign up 50 times an hour, and a run needs more. */
const anyAddress = (): string => `10.${[0, 0, 0].map(() => randomInt(256)).join('.')}`

/** Sets `PASSWORD` again, which ends all sessions. */
export async function resetPassword({ deps, url }: TestServer, email: string): Promise<void> {
  const user = await deps.identity.users?.find({ email })
  const made = user && (await deps.identity.users?.resetLink(user))
  if (!made || 'refused' in made) throw new Error(`There is no link for ${email}.`)
  const oobCode = new URL(made.link).searchParams.get('oobCode')
  const answer = await fetch(`${url}/identity/v1/accounts:resetPassword?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ oobCode, newPassword: PASSWORD }),
  })
  if (!answer.ok) throw new Error(`the reset answered ${answer.status}: ${await answer.text()}`)
}

export async function signIn(testServer: Pick<TestServer, 'url'>, email: string): Promise<Person> {
  const answer = await fetch(`${testServer.url}/identity/v1/accounts:signInWithPassword?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, returnSecureToken: true }),
  })
  const { idToken } = (await answer.json()) as { idToken?: string }
  if (!idToken) throw new Error(`sign-in answered ${answer.status}`)
  return personWith(testServer, email, idToken)
}

export function personWith(testServer: Pick<TestServer, 'url'>, email: string, token: string): Person {
  const request = (address: string, init: RequestInit = {}) =>
    fetch(`${testServer.url}/api/v1${address}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...Object.fromEntries(new Headers(init.headers)) },
    })
  return {
    token,
    email,
    request,
    async call(name, input = {}) {
      const endpoint: Endpoint = API[name]
      const answer = await request(pathOf(endpoint, input), {
        method: endpoint.method,
        ...(input.body === undefined
          ? {}
          : { body: JSON.stringify(input.body), headers: { 'content-type': 'application/json' } }),
      })
      const text = await answer.text()
      if (answer.status !== endpoint.status) throw new Error(`${name} answered ${answer.status}: ${text}`)
      // The contract's own schema says what it is.
      return endpoint.reply.parse(text === '' ? undefined : JSON.parse(text)) as Reply<Api[typeof name]>
    },
  }
}

export function pathOf(endpoint: Endpoint, input: { params?: unknown; query?: unknown }): string {
  const params = new Map(Object.entries(input.params ?? {}))
  const address = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params.get(name))),
  )
  const query = new URLSearchParams(
    Object.entries(input.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return query.size > 0 ? `${address}?${query.toString()}` : address
}

/** Links a practice creator like a person: opens the consent page, ticks the permissions, approves, returns with the code. */
export async function linkAccount(
  someone: Person,
  link: { platform: PlatformId; brandId: number; creator?: string; permissions?: OptionalPermission[] },
): Promise<Reply<Api['finishLink']>> {
  const { url, state } = await someone.call('startLink', {
    params: { platform: link.platform },
    body: { brand_id: link.brandId, ...(link.permissions && { permissions: link.permissions }) },
  })
  const back = await consent(url, { creator: link.creator ?? 'nova', decision: 'approve' })
  const code = back.searchParams.get('code')
  if (code === null || back.searchParams.get('state') !== state)
    throw new Error(`consent answered ${back.href}`)
  return someone.call('finishLink', {
    params: { platform: link.platform },
    body: { code, state, brand_id: link.brandId },
  })
}

/** Submits a practice consent page and returns the redirect address. `scopes`: those left ticked. */
export async function consent(
  pageUrl: string,
  choice: { creator: string; decision: 'approve' | 'deny'; scopes?: readonly string[] },
): Promise<URL> {
  const page = await (await fetch(pageUrl)).text()
  const form = new URLSearchParams()
  const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1] ?? ''
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1]
    const [type, name, value] = [
      attribute('type'),
      attribute('name') ?? '',
      decodeHtml(attribute('value') ?? ''),
    ]
    if (type === 'hidden') form.append(name, value)
    if (name === 'scope' && (choice.scopes?.includes(value) ?? true)) form.append(name, value)
  }
  form.append('creator', choice.creator)
  form.append('decision', choice.decision)
  const answer = await fetch(new URL(decodeHtml(action), pageUrl), {
    method: 'POST',
    body: form,
    redirect: 'manual',
  })
  const location = answer.headers.get('location')
  if (answer.status !== 302 || location === null) {
    throw new Error(`the consent page answered ${answer.status}: ${await answer.text()}`)
  }
  return new URL(location)
}

const decodeHtml = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<')

export type LivePost = {
  platform: PlatformId
  /** As the platform names it, and Reelay by `postId`. */
  id: string
  account: string
  text: string
  options: Record<string, unknown>
  sha256: string
  bytes: number
  created_at: string
  url: string
  comments_off?: boolean
  comments?: { account: string; text: string }[]
}
export type PlatformCall = {
  platform: PlatformId
  call: string
  account: string | null
  status: number | null
  fault?: string
  flag?: string
}

/** The practice platforms' record: the reference for "exactly once". */
export const livePosts = async (testServer: Pick<TestServer, 'practiceUrl'>): Promise<LivePost[]> =>
  (await control(testServer.practiceUrl, 'GET', '/_control/posts')) as LivePost[] // as their README describes it
/** One entry per notification in a creator's inbox. */
export type InboxDraft = { platform: PlatformId; account: string; sha256: string; posted: boolean }
export const inboxDrafts = async (testServer: Pick<TestServer, 'practiceUrl'>): Promise<InboxDraft[]> =>
  (await control(testServer.practiceUrl, 'GET', '/_control/drafts')) as InboxDraft[]
export const platformCalls = async (testServer: Pick<TestServer, 'practiceUrl'>): Promise<PlatformCall[]> =>
  (await control(testServer.practiceUrl, 'GET', '/_control/calls')) as PlatformCall[]

export async function control(
  practiceUrl: string,
  method: string,
  address: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(`${practiceUrl}${address}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  if (!answer.ok) throw new Error(`${method} ${address} answered ${answer.status}: ${await answer.text()}`)
  return answer.status === 204 ? null : answer.json()
}

/** Most conditions are met soon; frequent checks of slow ones cost more than they gain. */
const LOOKS_MS = { first: 20, most: 150 }

/** Waits until `look` returns a value, asking often at first. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false>,
  timeoutMs = 300_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (let wait = LOOKS_MS.first; ; wait = Math.min(wait * 1.3, LOOKS_MS.most)) {
    const found = await look()
    if (found !== null && found !== false) return found
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}
