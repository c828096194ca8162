import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createUserWithEmailAndPassword, type User } from '@firebase/auth'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { until } from '#test/support/test-server.ts'
import { PASSWORD, SECRET, encrypter, startIdentity, type IdentityFixture } from '#test/support/identity.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { listKeys, rotateKeys } from './key-rotation.ts'
import { openKeys } from './keys.ts'

// Commands start processes, which is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 })

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const open: IdentityFixture[] = []
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
})

async function start(): Promise<IdentityFixture> {
  const service = await startIdentity()
  open.push(service)
  return service
}

const someone = async (service: IdentityFixture): Promise<User> => {
  const email = `${Math.random()}@example.test`
  return (await createUserWithEmailAndPassword(service.browser(), email, PASSWORD)).user
}
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const states = async (db: Db) => (await listKeys(db)).map(({ state }) => state).toSorted()
const kidIn = async (db: Db, state: string) =>
  (await listKeys(db)).find((key) => key.state === state)?.kid ?? 'none'
const published = async (service: IdentityFixture) => {
  const answer = await fetch(`${service.publicUrl}/identity/.well-known/jwks.json`)
  return ((await answer.json()) as JSONWebKeySet).keys.map(({ kid }) => kid)
}
function verifier(service: IdentityFixture) {
  const jwks = createRemoteJWKSet(new URL(`${service.publicUrl}/identity/.well-known/jwks.json`), {
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: Number.POSITIVE_INFINITY,
  })
  return (token: string) => jwtVerify(token, jwks, { currentDate: new Date(service.now()) })
}

test('a key is published a day before it signs and until its tokens expire', async () => {
  const service = await start()
  const user = await someone(service)
  const first = await kidIn(service.db, 'current')
  expect(await published(service)).toEqual([first])

  await service.identity.runMaintenance?.()
  expect(await states(service.db)).toEqual(['current', 'next'])
  const second = await kidIn(service.db, 'next')
  const verify = verifier(service)
  await until('the next key to be published', async () => (await published(service)).includes(second))
  expect(kidOf(await user.getIdToken(true))).toBe(first)
  await verify(await user.getIdToken())

  service.advance(90 * DAY_MS - 1000)
  await service.identity.runMaintenance?.()
  expect(await kidIn(service.db, 'current')).toBe(first)
  const before = await user.getIdToken(true)
  service.advance(1000)
  await service.identity.runMaintenance?.()
  expect(await kidIn(service.db, 'current')).toBe(second)

  const after = await until('a token of the second key', async () => {
    const token = await user.getIdToken(true)
    expect(await service.identity.verify(token)).not.toBeNull()
    return kidOf(token) === second && token
  })
  await verify(before)
  await verify(after)
  expect(await service.identity.verify(before)).not.toBeNull()
  expect(await published(service)).toHaveLength(3)

  service.advance(61 * MINUTE_MS)
  await service.identity.runMaintenance?.()
  expect(await published(service)).toContain(first)
  service.advance(60 * MINUTE_MS)
  await service.identity.runMaintenance?.()
  expect(await states(service.db)).toEqual(['current', 'next'])
  await until('the first key to be gone', async () => !(await published(service)).includes(first))
})

test('after a year offline keys rotate at once, or a day later without a next key', async () => {
  const service = await start()
  const first = await kidIn(service.db, 'current')
  service.advance(365 * DAY_MS)
  await service.identity.runMaintenance?.()
  await service.identity.runMaintenance?.()
  expect(await kidIn(service.db, 'current')).toBe(first)
  service.advance(DAY_MS)
  await service.identity.runMaintenance?.()
  expect(await kidIn(service.db, 'current')).not.toBe(first)
  const second = await kidIn(service.db, 'current')
  service.advance(365 * DAY_MS)
  await service.identity.runMaintenance?.()
  expect(await kidIn(service.db, 'current')).not.toBe(second)
})

test('a manual rotation waits until verifiers must have fetched the next key', async () => {
  const service = await start()
  const rotate = () => rotateKeys({ ...service, encrypter }, { kind: 'rotate' })
  const tooEarly = { kind: 'too_early', until: new Date(service.now() + 10 * MINUTE_MS) }
  expect(await rotate()).toEqual(tooEarly)
  service.advance(10 * MINUTE_MS - 1)
  expect(await rotate()).toEqual(tooEarly)
  service.advance(1)
  expect(await rotate()).toEqual({ kind: 'done' })
  expect(await rotate()).toMatchObject({ kind: 'too_early' })
  expect(await states(service.db)).toEqual(['current', 'next', 'retired'])
})

test('of concurrent rotations exactly one happens', async () => {
  const service = await start()
  await service.identity.runMaintenance?.()
  service.advance(91 * DAY_MS)
  const first = await kidIn(service.db, 'next')
  const others = [1, 2, 3, 4].map(() => openDb(service.databaseUrl))
  const turned = await Promise.all([
    ...others.map((db) => rotateKeys({ db, encrypter, now: service.now }, { kind: 'rotate' })),
    ...others.map((db) => rotateKeys({ db, encrypter, now: service.now }, { kind: 'scheduled', days: 90 })),
  ])
  await Promise.all(others.map((db) => db.destroy()))
  expect(turned.filter(({ kind }) => kind === 'done')).toHaveLength(1)
  expect(await kidIn(service.db, 'current')).toBe(first)
  expect(await states(service.db)).toEqual(['current', 'next', 'retired'])
})

test('a process with cached keys verifies new tokens, and its own tokens verify elsewhere', async () => {
  const service = await start()
  const user = await someone(service)
  const late = await openKeys({ ...service, encrypter })
  await service.identity.runMaintenance?.()
  service.advance(91 * DAY_MS)
  const unaware = { ...(await late.signing()) }
  await rotateKeys({ ...service, encrypter }, { kind: 'rotate' })
  const quick = await openKeys({ ...service, encrypter })
  const { kid } = await quick.signing()
  expect(kid).not.toBe(unaware.kid)
  // The cache of `late` does not have the new key, so it reads again.
  await late.getKey({ alg: 'RS256', kid }, { payload: '', signature: '' })
  await quick.getKey({ alg: 'RS256', kid: unaware.kid }, { payload: '', signature: '' })
  expect(await service.identity.verify(await user.getIdToken(true))).not.toBeNull()
})

test('replacing leaked keys invalidates all ID tokens and keeps sessions', async () => {
  const service = await start()
  const user = await someone(service)
  await service.identity.runMaintenance?.()
  const before = await user.getIdToken()
  const old = await published(service)
  await rotateKeys({ ...service, encrypter }, { kind: 'replace' })
  const restarted = await openKeys({ ...service, encrypter })
  const lookingFor = { alg: 'RS256', kid: kidOf(before) ?? '' }
  await expect(restarted.getKey(lookingFor, { payload: '', signature: '' })).rejects.toThrow()

  await until('the token to be refused', async () => (await service.identity.verify(before)) === null)
  expect((await published(service)).filter((kid) => old.includes(kid))).toEqual([])
  expect(await published(service)).toHaveLength(2)
  const after = await user.getIdToken(true)
  expect(await service.identity.verify(after)).not.toBeNull()
  await verifier(service)(after)
})

test('a rotation killed halfway changes nothing, and the next one succeeds', async () => {
  const service = await start()
  const user = await someone(service)
  await service.identity.runMaintenance?.()
  await sql`update identity_keys set state_since = state_since - interval '1 hour'`.execute(service.db)
  const before = await listKeys(service.db)
  const next = await kidIn(service.db, 'next')

  await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('identity_keys').selectAll().where('kid', '=', next).forUpdate().execute()
    const child = command(service.databaseUrl, 'rotate')
    await until('the command to stand in the middle of it', async () => {
      // Another connection: within a transaction PostgreSQL shows a snapshot.
      const { rows } = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'update%'`.execute(
        service.db,
      )
      return rows.length === 1
    })
    child.process.kill('SIGKILL')
    await child.ended
  })
  expect(await listKeys(service.db)).toEqual(before)
  expect(await service.identity.verify(await user.getIdToken(true))).not.toBeNull()

  const again = command(service.databaseUrl, 'rotate')
  expect(await again.ended, again.said()).toBe(0)
  expect(await kidIn(service.db, 'current')).toBe(next)
  expect(again.said()).toContain('The next key signs from now on.')
})

test('the keys command lists keys and reports early rotations and unknown options', async () => {
  const service = await start()
  await service.identity.runMaintenance?.()
  const url = service.databaseUrl
  const [list, early, nonsense] = [command(url, 'list'), command(url, 'rotate'), command(url, 'destroy')]
  expect(await list.ended, list.said()).toBe(0)
  expect(
    list
      .said()
      .split('\n')
      .map((line) => line.split(/ +/)[1]),
  ).toEqual(['current', 'next', undefined])
  expect(await early.ended).toBe(1)
  expect(early.said()).toContain('try again after')
  const replaced = command(url, 'rotate', '--now')
  expect(await replaced.ended).toBe(0)
  expect(replaced.said()).toContain('All keys are replaced.')
  expect(await nonsense.ended).toBe(1)
  expect(nonsense.said()).toMatch(/^Usage: npm run keys/)
})

const CLI = fileURLToPath(new URL('../../server/keys-cli.ts', import.meta.url))

function command(databaseUrl: string, ...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, SECRET_KEY: SECRET },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'close').then(([code]) => code as number | null) // as Node documents it
  return { process: child, ended, said: () => said }
}
