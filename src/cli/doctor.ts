import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { API_PREFIX, COMMAND_PATH } from '#contract/http/addresses.ts'
import { KEY_SCOPES } from '#contract/http/key-rights.ts'
import { call, exchange, Refused, request } from './client.ts'
import { type Exit, Stop } from './ends.ts'
import { formatBytes } from './output.ts'
import type { Server } from './settings.ts'
import { VERSION } from './version.ts'

type State = 'ok' | 'warning' | 'failed'
type Check = { readonly check: string; readonly state: State; readonly message: string }
/** Without names, addresses, captions and keys: it can be pasted into an issue. */
type Report = {
  readonly command: { readonly version: string; readonly node: string; readonly system: string }
  readonly checks: readonly Check[]
}

/** More than this apart, times on screen mislead. */
const CLOCK_MS = 30_000
const EXPIRES_SOON_DAYS = 14
const DAY_MS = 86_400_000

/** Looks at a server from where the command runs. What the server thinks of itself, `npm run doctor` says. */
export async function checkServer(
  findServer: () => Server,
): Promise<{ readonly report: Report; readonly exit: Exit }> {
  const checks: Check[] = []
  let exit: Exit = 'done'
  const add = (check: string, state: State, message: string) => checks.push({ check, state, message })
  const fail = (check: string, error: unknown, server: Server | null) => {
    if (!(error instanceof Stop)) throw error
    exit = error.exit
    add(check, 'failed', redact(error.message, server))
  }
  add(
    'command',
    'ok',
    `reelay ${VERSION}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
  )

  let server: Server | null = null
  try {
    server = findServer()
    add(
      'log-in',
      'ok',
      process.env['REELAY_API_KEY'] ? 'key from REELAY_API_KEY' : 'key from the settings file',
    )
    await checkConnection(server, add)
    await checkKey(server, add)
    await checkAccounts(server, add)
  } catch (error) {
    fail(server === null ? 'log-in' : 'server', error, server)
  }
  if (exit === 'done' && checks.some(({ check, state }) => check === 'accounts' && state !== 'ok'))
    exit = 'held'
  const command = {
    version: VERSION,
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
  }
  return { report: { command, checks }, exit }
}

/** Removes where the server is and who asks from a message. */
function redact(message: string, server: Server | null): string {
  const known = server === null ? message : message.replaceAll(server.address, 'The server')
  const withoutHost =
    server === null ? known : known.replaceAll(new URL(server.address).hostname, '<the server>')
  return withoutHost.replaceAll(homedir(), '~').replaceAll(/https?:\/\/\S+/g, '<an address>')
}

type Add = (check: string, state: State, message: string) => void

async function checkConnection({ address }: Server, add: Add): Promise<void> {
  const before = Date.now()
  const answer = await exchange(address, `${API_PREFIX}/settings`)
  const after = Date.now()
  await answer.text()
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname)
  const isPlain = address.startsWith('http:') && !isLocal
  add(
    'server',
    isPlain ? 'warning' : answer.ok ? 'ok' : 'failed',
    isPlain
      ? 'answers, but without https: whoever is on the way can read the key'
      : `answers ${answer.status} after ${after - before} ms`,
  )
  const date = Date.parse(answer.headers.get('date') ?? '')
  // The header has whole seconds, so it is half a second old on average.
  const offMs = Number.isNaN(date) ? 0 : Math.abs(date + 500 - (before + after) / 2)
  const differs = offMs > CLOCK_MS
  add(
    'clock',
    differs ? 'warning' : 'ok',
    differs ? `differs from the server's by ${Math.round(offMs / 1000)} s` : 'as the server',
  )
  const theirs = await exchange(address, COMMAND_PATH)
  const bytes = Buffer.from(await theirs.arrayBuffer())
  const isSame = bytes.equals(readFileSync(fileURLToPath(import.meta.url)))
  const version = /^\/\/ reelay (\S+)$/m.exec(bytes.subarray(0, 200).toString())?.[1]
  if (!theirs.ok || version === undefined) add('version', 'warning', 'the server offers no command')
  else
    add(
      'version',
      isSame ? 'ok' : 'warning',
      isSame ? "the server's own command" : `not the server's own command, which is reelay ${version}`,
    )
}

async function checkKey(server: Server, add: Add): Promise<void> {
  const answer = await request(server, `${API_PREFIX}/user`)
  await answer.text()
  const left = /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
  if (left !== undefined)
    add('calls', Number(left) < 60 ? 'warning' : 'ok', `${left} of this minute are left`)
  const { scopes, limited_to: limit, expires_at: end, lacks } = await call(server, 'getOwnApiKey', {})
  const missing = KEY_SCOPES.filter((scope) => !scopes.includes(scope))
  const only = limit === null ? '' : ', limited to some brands or accounts'
  add('key', 'ok', `may ${scopes.join(', ')}${only}`)
  if (missing.length > 0) add('rights', 'warning', `the key may not ${missing.join(', ')}`)
  if (lacks.length > 0)
    add('rights', 'warning', `the key is older than ${lacks.join(', ')}: extend it in Settings`)
  const days = end === null ? null : Math.floor((Date.parse(end) - Date.now()) / DAY_MS)
  if (days === null) add('expiry', 'ok', 'the key does not expire')
  else add('expiry', days < EXPIRES_SOON_DAYS ? 'warning' : 'ok', `the key expires in ${days} days`)
}

async function checkAccounts(server: Server, add: Add): Promise<void> {
  const accounts = await call(server, 'listAccounts', {})
  const lost = accounts.filter(({ health }) => health.status === 'relink').length
  add(
    'accounts',
    lost > 0 ? 'warning' : 'ok',
    `${accounts.length} linked${lost > 0 ? `, ${lost} must be linked again` : ''}`,
  )
  // Keys that are limited to some accounts may not ask for these.
  const today = await orNullIfForbidden(call(server, 'listPostsToday', {}))
  const full = today?.filter((account) => account.today.stopped !== null).length ?? 0
  if (full > 0) add('limits', 'warning', `${full} accounts get no posts now: the platform stopped them`)
  const library = await orNullIfForbidden(call(server, 'getLibrary', {}))
  if (library?.storage.quota_bytes != null) {
    const { used_bytes: used, quota_bytes: quota } = library.storage
    add(
      'storage',
      used > 0.9 * quota ? 'warning' : 'ok',
      `${formatBytes(used)} of ${formatBytes(quota)} are used`,
    )
  }
}

const orNullIfForbidden = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof Refused && error.problem === 'forbidden') return null
    throw error
  })
