import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import type { Sealer } from '#base/encryption.ts'

export const ALGORITHM = 'RS256'

/** `next` is published and does not sign yet; `current` signs; `retired` is published for the tokens that it signed. */
const KeyState = z.enum(['next', 'current', 'retired'])
type KeyState = z.infer<typeof KeyState>
export type Key = { readonly kid: string; readonly state: KeyState; readonly since: Date }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Others may hold what we publish for five minutes: a key that signed earlier would be unknown to them. */
const PUBLISHED_FOR_MS = 10 * MINUTE_MS
/** For scheduled rotation. */
const PUBLISHED_AT_LEISURE_MS = DAY_MS
/** A token lives for an hour, and a process may sign for some seconds with the key that it last read. */
export const RETIRED_KEPT_MS = 120 * MINUTE_MS

export type Wish =
  /** A key that signs, where there is none. */
  | { readonly kind: 'begin' }
  /** Scheduled rotation after so many days, with a next key prepared and retired ones dropped. */
  | { readonly kind: 'keep'; readonly days: number }
  /** Rotates now. Issued tokens stay valid. */
  | { readonly kind: 'rotate' }
  /** After a leak: drops all keys, and with them every issued token. Sessions stay. */
  | { readonly kind: 'replace' }

export type Rotation = { readonly kind: 'done' | 'nothing_due' } | TooEarly
/** The next key has not been published for long enough. */
export type TooEarly = { readonly kind: 'too_early'; readonly until: Date }

/** Advisory lock: one rotation at a time across all processes. */
const LOCK = 7_335_394

/** Runs in one transaction: a crash leaves the keys as they were. */
export function rotateKeys(
  { db, sealer, now }: { readonly db: Db; readonly sealer: Sealer; readonly now: () => number },
  wish: Wish,
): Promise<Rotation> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
    const at = new Date(now())
    const { drop, rotate, make, outcome } = planRotation(await listKeys(trx), wish, at)
    if (drop.length > 0) await trx.deleteFrom('identity_keys').where('kid', 'in', drop).execute()
    if (rotate) {
      // The old one first: a unique index lets no two sign.
      await move(trx, 'current', 'retired', at)
      await move(trx, 'next', 'current', at)
    }
    for (const state of make) {
      const key = { ...(await makeKey(sealer)), state, created_at: at, state_since: at }
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
  /** The next becomes the current, and that one retires. */
  readonly rotate: boolean
  readonly make: readonly KeyState[]
  readonly outcome: Rotation
}

function planRotation(keys: readonly Key[], wish: Wish, at: Date): Plan {
  const age = (key: Key) => at.getTime() - key.since.getTime()
  const current = keys.find(({ state }) => state === 'current')
  const next = keys.find(({ state }) => state === 'next')
  const over = keys.filter((key) => key.state === 'retired' && age(key) >= RETIRED_KEPT_MS)
  const rest: Plan = {
    drop: over.map(({ kid }) => kid),
    rotate: false,
    make: [],
    outcome: { kind: 'nothing_due' },
  }
  const done: Plan = { ...rest, outcome: { kind: 'done' } }

  if (!current) return { ...done, make: ['current'] }
  switch (wish.kind) {
    case 'begin':
      return rest
    case 'keep': {
      if (!next) return { ...done, make: ['next'] }
      const due = age(current) >= wish.days * DAY_MS && age(next) >= PUBLISHED_AT_LEISURE_MS
      return due ? { ...done, rotate: true, make: ['next'] } : rest
    }
    case 'rotate': {
      const readyAt = new Date((next?.since ?? at).getTime() + PUBLISHED_FOR_MS)
      if (!next) return { ...rest, make: ['next'], outcome: { kind: 'too_early', until: readyAt } }
      if (readyAt > at) return { ...rest, outcome: { kind: 'too_early', until: readyAt } }
      return { ...done, rotate: true, make: ['next'] }
    }
    case 'replace':
      return { ...done, drop: keys.map(({ kid }) => kid), make: ['current', 'next'] }
  }
}

async function move(db: Db, from: KeyState, to: KeyState, at: Date): Promise<void> {
  await db
    .updateTable('identity_keys')
    .set({ state: to, state_since: at })
    .where('state', '=', from)
    .execute()
}

async function makeKey(sealer: Sealer) {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true })
  const { kty, n, e } = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(pair.publicKey)
  return {
    kid,
    public_jwk: JSON.stringify({ kty, n, e, kid, use: 'sig', alg: ALGORITHM }),
    private_jwk: sealer.seal(JSON.stringify(await exportJWK(pair.privateKey))),
  }
}
