import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'

export const ALGORITHM = 'RS256'

/** `next` is published but does not sign yet; `retired` stays published for the tokens that it signed. */
const KeyState = z.enum(['next', 'current', 'retired'])
type KeyState = z.infer<typeof KeyState>
export type Key = { readonly kid: string; readonly state: KeyState; readonly since: Date }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Verifiers cache our key set for five minutes: a key must be published before it signs. */
const MIN_PUBLISHED_MS = 10 * MINUTE_MS
const MIN_PUBLISHED_SCHEDULED_MS = DAY_MS
/** Tokens live for an hour, and a process may sign with a cached key for some seconds. */
export const RETIRED_KEPT_MS = 120 * MINUTE_MS

export type RotationMode =
  | { readonly kind: 'ensure' }
  /** Rotates after this many days, prepares the next key and drops retired ones. */
  | { readonly kind: 'scheduled'; readonly days: number }
  | { readonly kind: 'rotate' }
  /** After a leak: drops all keys, which invalidates every issued token. Sessions stay. */
  | { readonly kind: 'replace' }

export type Rotation = { readonly kind: 'done' | 'nothing_due' } | TooEarly
export type TooEarly = { readonly kind: 'too_early'; readonly until: Date }

const LOCK = 7_335_394

export function rotateKeys(
  { db, encrypter, now }: { readonly db: Db; readonly encrypter: Encrypter; readonly now: () => number },
  mode: RotationMode,
): Promise<Rotation> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
    const at = new Date(now())
    const { drop, rotate, create, outcome } = planRotation(await listKeys(trx), mode, at)
    if (drop.length > 0) await trx.deleteFrom('identity_keys').where('kid', 'in', drop).execute()
    if (rotate) {
      // Retire first: a unique index allows one current key.
      await changeState(trx, 'current', 'retired', at)
      await changeState(trx, 'next', 'current', at)
    }
    for (const state of create) {
      const key = { ...(await createKey(encrypter)), state, created_at: at, state_since: at }
      await trx.insertInto('identity_keys').values(key).execute()
    }
    return outcome
  })
}

export async function listKeys(db: Db): Promise<Key[]> {
  const rows = await db
    .selectFrom('identity_keys')
    .select(['kid', 'state', 'state_since'])
    .orderBy('state')
    .orderBy('state_since', 'desc')
    .execute()
  return rows.map(({ kid, state, state_since }) => ({
    kid,
    state: KeyState.parse(state),
    since: state_since,
  }))
}

type Plan = {
  readonly drop: readonly string[]
  readonly rotate: boolean
  readonly create: readonly KeyState[]
  readonly outcome: Rotation
}

function planRotation(keys: readonly Key[], mode: RotationMode, at: Date): Plan {
  const age = (key: Key) => at.getTime() - key.since.getTime()
  const current = keys.find(({ state }) => state === 'current')
  const next = keys.find(({ state }) => state === 'next')
  const expired = keys.filter((key) => key.state === 'retired' && age(key) >= RETIRED_KEPT_MS)
  const idle: Plan = {
    drop: expired.map(({ kid }) => kid),
    rotate: false,
    create: [],
    outcome: { kind: 'nothing_due' },
  }
  const done: Plan = { ...idle, outcome: { kind: 'done' } }

  if (!current) return { ...done, create: ['current'] }
  switch (mode.kind) {
    case 'ensure':
      return idle
    case 'scheduled': {
      if (!next) return { ...done, create: ['next'] }
      const due = age(current) >= mode.days * DAY_MS && age(next) >= MIN_PUBLISHED_SCHEDULED_MS
      return due ? { ...done, rotate: true, create: ['next'] } : idle
    }
    case 'rotate': {
      const readyAt = new Date((next?.since ?? at).getTime() + MIN_PUBLISHED_MS)
      if (!next) return { ...idle, create: ['next'], outcome: { kind: 'too_early', until: readyAt } }
      if (readyAt > at) return { ...idle, outcome: { kind: 'too_early', until: readyAt } }
      return { ...done, rotate: true, create: ['next'] }
    }
    case 'replace':
      return { ...done, drop: keys.map(({ kid }) => kid), create: ['current', 'next'] }
  }
}

async function changeState(db: Db, from: KeyState, to: KeyState, at: Date): Promise<void> {
  await db
    .updateTable('identity_keys')
    .set({ state: to, state_since: at })
    .where('state', '=', from)
    .execute()
}

async function createKey(encrypter: Encrypter) {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true })
  const { kty, n, e } = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(pair.publicKey)
  return {
    kid,
    public_jwk: JSON.stringify({ kty, n, e, kid, use: 'sig', alg: ALGORITHM }),
    private_jwk: encrypter.encrypt(JSON.stringify(await exportJWK(pair.privateKey))),
  }
}
