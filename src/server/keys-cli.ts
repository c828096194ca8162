// `npm run keys -- list | rotate | rotate --now | re-encrypt`, with or without running servers.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { inspect } from 'node:util'
import { pino } from 'pino'
import { openClock } from '#base/clock.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { openDb } from '#base/db/open.ts'
import { openEncrypter } from './deps.ts'
import { reEncryptAll } from './db/re-encrypt.ts'
import { StartError } from '#base/start-error.ts'
import { listKeys, RETIRED_KEPT_MS, rotateKeys } from '#identity/credentials/key-rotation.ts'
import { KEYS_TTL_MS, type KeyDeps } from '#identity/credentials/keys.ts'

const COMMANDS: Readonly<Record<string, (deps: KeyDeps) => Promise<void>>> = {
  list,
  rotate,
  'rotate --now': replace,
  're-encrypt': reEncrypt,
}
const USAGE = `Usage: npm run keys -- list           which keys there are, and since when
       npm run keys -- rotate         the next key signs from now on; every token that is out stays good
       npm run keys -- rotate --now   where a key got out: new keys, and no token that is out stays good
       npm run keys -- re-encrypt     encrypts all with the first secret of SECRET_KEY, so that the others can go`

try {
  const run = COMMANDS[process.argv.slice(2).join(' ')]
  if (!run) throw new StartError(USAGE)
  const config = readConfig(process.env)
  if (config.identity.mode === 'firebase' && run !== reEncrypt) {
    throw new StartError(
      "IDENTITY is firebase: the keys are the hosted service's, which rotates them itself.",
    )
  }
  await withDatabase(config, run)
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : inspect(error)}\n`)
  process.exitCode = 1
}

async function list({ db }: KeyDeps): Promise<void> {
  for (const { kid, state, since } of await listKeys(db)) {
    const end = state === 'retired' ? `, published until ${asTime(since.getTime() + RETIRED_KEPT_MS)}` : ''
    say(`${kid}  ${state.padEnd(7)}  since ${asTime(since)}${end}`)
  }
}

async function rotate(deps: KeyDeps): Promise<void> {
  const rotation = await rotateKeys(deps, { kind: 'rotate' })
  if (rotation.kind === 'too_early') {
    throw new StartError(
      `The next key must have been published for some minutes before it signs: ask again after ${asTime(rotation.until)}.`,
    )
  }
  say(
    'The next key signs from now on. The one before stays published until every token that it signed has ended.',
  )
}

async function replace(deps: KeyDeps): Promise<void> {
  await rotateKeys(deps, { kind: 'replace' })
  say(
    `All keys are new. Within ${KEYS_TTL_MS / 1000} seconds no server takes a token that an old one signed.`,
  )
  say(
    'Sessions go on: an open page gets a new token by itself, a page that is loaded within the hour asks to sign in again.',
  )
}

async function reEncrypt({ db, encrypter }: KeyDeps): Promise<void> {
  const all = await reEncryptAll(db, encrypter)
  for (const { what, done } of all) say(`${what}: ${done} encrypted anew`)
  const left = all.reduce((sum, one) => sum + one.left, 0)
  if (left > 0)
    throw new StartError(`${left} were in use and still need an older secret: ask again in a minute.`)
  say('Nothing needs an older secret any more: SECRET_KEY may do without them.')
}

async function withDatabase(config: Config, run: (deps: KeyDeps) => Promise<void>): Promise<void> {
  const dir = path.join(config.dataDir, 'postgres')
  if (config.databaseUrl === null && !existsSync(dir)) {
    throw new StartError(`There is no database in ${config.dataDir} yet: npm start makes it.`)
  }
  const running = config.databaseUrl ?? (await findEmbeddedPostgres(dir))
  const own = running === null ? await startEmbeddedPostgres({ dir, say }) : null
  try {
    const url = running ?? own?.url ?? ''
    await migrate(url)
    const db = openDb(url, { connections: 1 })
    const clock = await openClock(db, pino({ level: config.logLevel }))
    try {
      await run({ db, encrypter: await openEncrypter(config), now: () => clock.now() })
    } finally {
      clock.stop()
      await db.destroy()
    }
  } finally {
    await own?.stop()
  }
}

function asTime(at: Date | number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
