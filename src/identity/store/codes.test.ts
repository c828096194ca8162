import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startIdentity } from '#test/support/identity.ts'
import { insertCode, resetPassword } from './codes.ts'
import { openSession, revokeAll } from './sessions.ts'
import { findByEmail, insertUser } from './users.ts'
import type { IdentityUser } from './users.ts'

// Races between reading and changing, which HTTP tests cannot time.
const { db, close } = await open()
afterAll(close)

const now = new Date('2026-11-20T10:00:00Z')
const later = new Date('2026-11-20T11:00:00Z')

test('a sign-in is void when the password changed while it was compared', async () => {
  const user = await newUser('compared@example.test')
  const signIn = {
    uid: user.uid,
    validSince: user.valid_since,
    tokenHash: randomBytes(32),
  }
  const comparedWith = (hash: string) => ({ ...signIn, compared: { hash, rehashed: null } })
  expect(await openSession(db, comparedWith('another'), later)).toBe(false)
  expect((await findByEmail(db, user.email))?.last_login_at).toEqual(now)
  expect(await openSession(db, comparedWith('old'), later)).toBe(true)
  expect((await findByEmail(db, user.email))?.last_login_at).toEqual(later)
})

test('a sign-in is void when all sessions were revoked after authentication', async () => {
  const user = await newUser('ended@example.test')
  const signIn = { uid: user.uid, validSince: user.valid_since, compared: null }
  await revokeAll(db, user.uid, later)
  expect(await openSession(db, { ...signIn, tokenHash: randomBytes(32) }, later)).toBe(false)
  const today = await findByEmail(db, user.email)
  const anew = { ...signIn, validSince: today?.valid_since ?? later, tokenHash: randomBytes(32) }
  expect(await openSession(db, anew, later)).toBe(true)
})

test('a code that expired while the new password was hashed changes nothing', async () => {
  const user = await newUser('slow@example.test')
  const codeHash = await newResetCode(user)
  const reset = { codeHash, passwordHash: 'new' }
  expect(await resetPassword(db, { ...reset, now: later })).toBe('void')
  expect((await findByEmail(db, user.email))?.password_hash).toBe('old')
  expect(await resetPassword(db, { ...reset, now })).toMatchObject({ uid: user.uid })
  expect((await findByEmail(db, user.email))?.password_hash).toBe('new')
})

test('a code is void after its user changes address', async () => {
  const user = await newUser('before@example.test')
  const codeHash = await newResetCode(user)
  await db
    .updateTable('identity_users')
    .set({ email: 'after@example.test' })
    .where('uid', '=', user.uid)
    .execute()
  expect(await resetPassword(db, { codeHash, passwordHash: 'new', now })).toBe('void')
})

async function newResetCode(user: IdentityUser): Promise<Buffer> {
  const codeHash = randomBytes(32)
  await insertCode(db, {
    codeHash,
    purpose: 'password_reset',
    uid: user.uid,
    email: user.email,
    newEmail: null,
    expiresAt: later,
  })
  return codeHash
}

async function newUser(email: string) {
  const user = await insertUser(
    db,
    { uid: randomBytes(8).toString('hex'), email, displayName: null, passwordHash: 'old' },
    now,
  )
  if (!user) throw new Error(`${email} is taken.`)
  return user
}

async function open() {
  const service = await startIdentity()
  return { db: service.db, close: () => service.close() }
}
