// `npm run keys -- list | rotate | rotate --now | re-encrypt`, with or without running servers.
import { pino } from 'pino'
import { openClock } from '#base/clock.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { migratePastPooler } from './db/migrate.ts'
import { withServerDatabase } from './db/with-server-database.ts'
import { openDb } from '#base/db/open.ts'
import { openEncrypter } from './db/open-encrypter.ts'
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
const USAGE = `Usage: npm run keys -- list           lists the signing keys with their states
       npm run keys -- rotate         signs with the next key from now on; all issued tokens stay valid
       npm run keys -- rotate --now   after a key leaked: replaces all keys; all issued tokens become invalid
       npm run keys -- re-encrypt     encrypts everything with the first secret of SECRET_KEY, so that the others can be removed`

await runCommand(async () => {
  const run = COMMANDS[process.argv.slice(2).join(' ')]
  if (!run) throw new StartError(USAGE)
  const config = readConfig(process.env)
  if (config.identity.mode === 'firebase' && run !== reEncrypt) {
    throw new StartError(
      "IDENTITY is firebase: the keys are the hosted service's, which rotates them itself.",
    )
  }
  await withDatabase(config, run)
})

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
      `The next key must be published for some minutes before it signs: try again after ${asTime(rotation.until)}.`,
    )
  }
  say('The next key signs from now on. The previous one stays published until all its tokens have expired.')
}

async function replace(deps: KeyDeps): Promise<void> {
  await rotateKeys(deps, { kind: 'replace' })
  say(
    `All keys are replaced. Within ${KEYS_TTL_MS / 1000} seconds every server rejects tokens signed by the old ones.`,
  )
  say(
    'Sessions stay: an open page gets a new token automatically; a page loaded within the hour asks to log in again.',
  )
}

async function reEncrypt({ db, encrypter }: KeyDeps): Promise<void> {
  const all = await reEncryptAll(db, encrypter)
  for (const { what, done } of all) say(`${what}: ${done} re-encrypted`)
  const left = all.reduce((sum, one) => sum + one.left, 0)
  if (left > 0)
    throw new StartError(`${left} were in use and still need an older secret: try again in a minute.`)
  say('All stored values use the first secret of SECRET_KEY. Its other secrets can be removed.')
}

async function withDatabase(config: Config, run: (deps: KeyDeps) => Promise<void>): Promise<void> {
  await withServerDatabase(config, say, async (url) => {
    await migratePastPooler(url, config.databaseDirectUrl)
    const db = openDb(url, { connections: 1, pooled: config.databaseDirectUrl !== null })
    const clock = await openClock(db, pino({ level: config.logLevel }))
    try {
      await run({ db, encrypter: await openEncrypter(config, db), now: () => clock.now() })
    } finally {
      clock.stop()
      await db.destroy()
    }
  })
}

function asTime(at: Date | number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
