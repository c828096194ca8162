import { hash, type verify } from '@node-rs/argon2'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '#test/support/test-server.ts'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import type { IdentityFixture } from '#test/support/identity.ts'
import { HASH_COST } from './credentials/passwords.ts'

// Protection against guessing. Counts hashes instead of measuring time, which depends on the machine. A call waits 10 s for a
// connection to the database, so a flood has no more calls than its limits need.
const work = vi.hoisted(() => {
  const counted = {
    done: 0,
    running: 0,
    most: 0,
    blocker: null as Promise<void> | null,
    async count<T>(hashing: () => Promise<T>): Promise<T> {
      counted.done += 1
      counted.running += 1
      counted.most = Math.max(counted.most, counted.running)
      try {
        await counted.blocker
        return await hashing()
      } finally {
        counted.running -= 1
      }
    },
  }
  return counted
})
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<{ hash: typeof hash; verify: typeof verify }>()
  return {
    ...real,
    hash: (...given: Parameters<typeof hash>) => work.count(() => real.hash(...given)),
    verify: (...given: Parameters<typeof verify>) => work.count(() => real.verify(...given)),
  }
})

const service = await startIdentity()
afterAll(() => service.close())
beforeEach(() => Object.assign(work, { done: 0, running: 0, most: 0, blocker: null }))

async function call(name: string, body: object, ip: string, at: Pick<IdentityFixture, 'app'> = service) {
  const answer = await at.app.inject({
    method: 'POST',
    url: `/identity/v1/accounts:${name}?key=reelay`,
    remoteAddress: ip,
    payload: body,
  })
  const { error } = answer.json<{ error?: { message: string } }>()
  return error ? (error.message.split(' : ')[0] ?? '') : 'OK'
}

const signUp = (email: string, ip = '198.51.100.1') => call('signUp', { email, password: PASSWORD }, ip)
const signIn = (email: string, password: string, ip: string, at?: Pick<IdentityFixture, 'app'>) =>
  call('signInWithPassword', { email, password }, ip, at)

/** Makes all guesses before the first hash is done; at most `compared` are compared. */
async function guessAtOnce(compared: number, guesses: readonly (() => Promise<string>)[]): Promise<string[]> {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  work.blocker = promise
  let refused = 0
  const answers = Promise.all(
    guesses.map(async (guess) => {
      const answer = await guess()
      if (answer === LOCKED) refused += 1
      return answer
    }),
  )
  try {
    // A guess that fails ends the wait.
    await Promise.race([answers, until('the refusals', async () => refused >= guesses.length - compared)])
  } finally {
    release()
    work.blocker = null
  }
  return answers
}

const WRONG = 'INVALID_LOGIN_CREDENTIALS'
const LOCKED = 'TOO_MANY_ATTEMPTS_TRY_LATER'

test('an outdated hash is replaced only by a successful sign-in', async () => {
  const real = await startIdentity({ hashCost: HASH_COST })
  onTestFinished(() => real.close())
  const attempt = (password: string) =>
    call('signInWithPassword', { email: 'weak@example.test', password }, '198.51.100.1', real)
  const users = real.db.selectFrom('identity_users').select('password_hash')
  const storedHash = async () => (await users.executeTakeFirstOrThrow()).password_hash
  const today = /^\$argon2id\$v=19\$m=32768,t=4,p=1\$/

  await call('signUp', { email: 'weak@example.test', password: PASSWORD }, '198.51.100.1', real)
  expect(await storedHash()).toMatch(today)
  const weak = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
  await real.db.updateTable('identity_users').set({ password_hash: weak }).execute()
  expect(await attempt('wrong')).toBe(WRONG)
  expect(await storedHash()).toBe(weak)
  expect(await attempt(PASSWORD)).toBe('OK')
  expect(await storedHash()).toMatch(today)
  expect(await attempt(PASSWORD)).toBe('OK')
})

test('wrong password, unknown address and missing password cost the same hashing work', async () => {
  await signUp('known@example.test')
  await signUp('without@example.test')
  await service.db
    .updateTable('identity_users')
    .set({ password_hash: null, password_updated_at: null })
    .where('email', '=', 'without@example.test')
    .execute()
  const costs: number[] = []
  for (const email of ['known@example.test', 'unknown@example.test', 'without@example.test']) {
    work.done = 0
    expect(await signIn(email, 'wrong', '198.51.100.2')).toBe(WRONG)
    costs.push(work.done)
  }
  expect(costs).toEqual([1, 1, 1])
})

test('150 wrong passwords from ten addresses are throttled; a reset lets the owner in', async () => {
  const email = 'owner@example.test'
  await signUp(email, '198.51.100.6')
  const attackers = Array.from({ length: 10 }, (_, index) => `203.0.113.${index + 1}`)
  const guesses = Array.from(
    { length: 150 },
    (_, index) => () => signIn(email, `guess ${index}`, attackers[index % 10] ?? ''),
  )
  const answers = await guessAtOnce(50, guesses)
  const burst = answers.filter((answer) => answer === WRONG).length
  expect(burst).toBeLessThanOrEqual(50)
  expect(answers.filter((answer) => answer === LOCKED)).toHaveLength(150 - burst)
  // A guess that ends while another is counted counts twice for a moment: the burst may stop short, never go beyond.
  for (let rest = burst; rest < 50; rest++) expect(await signIn(email, 'wrong', '203.0.113.90')).toBe(WRONG)
  expect(work.done).toBe(1 + 50)
  for (const attacker of attackers) {
    const compared = answers.filter((answer, index) => attackers[index % 10] === attacker && answer === WRONG)
    expect(compared.length).toBeLessThanOrEqual(10)
  }
  expect(await signIn(email, PASSWORD, '192.0.2.11')).toBe(LOCKED)
  expect(await signIn(email, PASSWORD, '198.51.100.6')).toBe('OK')

  expect(await call('sendOobCode', { requestType: 'PASSWORD_RESET', email }, '192.0.2.11')).toBe('OK')
  const oobCode = codeIn(await service.nextMail(email))
  expect(await call('resetPassword', { oobCode, newPassword: 'a new password' }, '192.0.2.11')).toBe('OK')
  expect(await signIn(email, 'a new password', '192.0.2.11')).toBe('OK')
  expect(await signIn(email, 'a new password', '203.0.113.1')).toBe('OK')
  expect(await signIn(email, PASSWORD, '192.0.2.11')).toBe(WRONG)
})

test('ten wrong passwords lock known and unknown accounts for that address only', async () => {
  await signUp('chosen@example.test', '198.51.100.7')
  for (const email of ['chosen@example.test', 'nobody@example.test']) {
    const guesses = Array.from({ length: 25 }, () => () => signIn(email, 'wrong', '203.0.113.20'))
    const answers = await guessAtOnce(10, guesses)
    expect(answers.filter((answer) => answer === WRONG)).toHaveLength(10)
    expect(await signIn(email, PASSWORD, '203.0.113.20')).toBe(LOCKED)
  }
  expect(await signIn('chosen@example.test', PASSWORD, '198.51.100.8')).toBe('OK')
  expect(await signIn('nobody@example.test', PASSWORD, '198.51.100.8')).toBe(WRONG)
})

test('after a reset the owner gets in from that address while guessing goes on', async () => {
  const email = 'besieged@example.test'
  await signUp(email, '198.51.100.10')
  const besiege = () =>
    guessAtOnce(
      50,
      Array.from({ length: 60 }, (_, index) => () => signIn(email, 'wrong', `203.0.113.${30 + (index % 6)}`)),
    )
  await besiege()
  expect(await call('sendOobCode', { requestType: 'PASSWORD_RESET', email }, '192.0.2.12')).toBe('OK')
  const oobCode = codeIn(await service.nextMail(email))
  expect(await call('resetPassword', { oobCode, newPassword: 'a new password' }, '192.0.2.12')).toBe('OK')
  await besiege()
  expect(await signIn(email, 'a new password', '192.0.2.13')).toBe(LOCKED)
  expect(await signIn(email, 'a new password', '192.0.2.12')).toBe('OK')
})

test('accounts that logged in from an address before still can when it is limited', async () => {
  const shared = '203.0.113.40'
  await signUp('colleague@example.test', shared)
  const key = `wrongPasswordByIp:${shared}`
  const locked = { key, points: 100, expire: Date.now() + 900_000 }
  await service.db.insertInto('identity_throttle').values(locked).execute()
  expect(await signIn('nobody@example.test', PASSWORD, shared)).toBe(LOCKED)
  expect(await signIn('colleague@example.test', PASSWORD, shared)).toBe('OK')
})

test('a flood from a throttled address does not block log-in and sign-up elsewhere', async () => {
  const flooder = '203.0.113.50'
  await Promise.all(['one', 'two', 'three'].map((name) => signUp(`${name}@example.test`, '198.51.100.11')))
  for (let guess = 0; guess < 10; guess += 1) await signIn('one@example.test', 'wrong', flooder)
  const flood = Array.from({ length: 100 }, () => signIn('one@example.test', 'wrong', flooder))
  const logins = Array.from({ length: 24 }, (_, index) =>
    signIn(`${['one', 'two', 'three'][index % 3]}@example.test`, PASSWORD, `192.0.2.${100 + index}`),
  )
  const signUps = Array.from({ length: 6 }, (_, index) =>
    signUp(`late-${index}@example.test`, `192.0.2.${140 + index}`),
  )
  expect(new Set(await Promise.all([...logins, ...signUps]))).toEqual(new Set(['OK']))
  expect(new Set(await Promise.all(flood))).toEqual(new Set([LOCKED]))
})

test('a flood of sign-ups and right passwords does not block log-in elsewhere', async () => {
  const flooder = '203.0.113.51'
  await signUp('his-own@example.test', flooder)
  await signUp('hers@example.test', '198.51.100.12')
  const flood = [
    ...Array.from({ length: 60 }, (_, index) => () => signUp(`spam-${index}@example.test`, flooder)),
    ...Array.from({ length: 100 }, () => () => signIn('his-own@example.test', PASSWORD, flooder)),
  ]
  const logins = Array.from(
    { length: 10 },
    (_, index) => () => signIn('hers@example.test', PASSWORD, `192.0.2.${160 + index}`),
  )
  const answers = await guessAtOnce(69, [...flood, ...logins])
  expect(new Set(answers.slice(flood.length))).toEqual(new Set(['OK']))
  expect(answers.filter((answer) => answer === LOCKED).length).toBeGreaterThan(100)
})

test('limits are shared by processes and survive a restart', async () => {
  const email = 'shared@example.test'
  const from = '198.51.100.3'
  await signUp(email)
  const other = await service.another()
  for (let guess = 0; guess < 5; guess += 1) {
    expect(await signIn(email, 'wrong', from)).toBe(WRONG)
    expect(await signIn(email, 'wrong', from, other)).toBe(WRONG)
  }
  expect(await signIn(email, PASSWORD, from)).toBe(LOCKED)
  expect(await signIn(email, PASSWORD, from, other)).toBe(LOCKED)
  await other.close()
  const restarted = await service.another()
  expect(await signIn(email, PASSWORD, from, restarted)).toBe(LOCKED)
  await restarted.close()
})

test('concurrent hashes are bounded, and known addresses have reserved places', async () => {
  await signUp('regular@example.test', '198.51.100.13')
  Object.assign(work, { done: 0, most: 0 })
  const { promise, resolve: release } = Promise.withResolvers<void>()
  work.blocker = promise
  const answers: string[] = []
  const burst = Array.from({ length: 160 }, async (_, index) => {
    // One address each, so that no limit applies.
    answers.push(await signUp(`burst-${index}@example.test`, `10.1.${index}.1`))
  })
  await until('those who find no place', async () => answers.length === 7)
  expect(answers).toEqual(Array.from({ length: 7 }, () => LOCKED))
  expect(work.running).toBe(3)
  const regulars = Array.from({ length: 5 }, () => signIn('regular@example.test', PASSWORD, '198.51.100.13'))
  const elsewhere = await signIn('regular@example.test', PASSWORD, '198.51.100.14')
  expect(elsewhere).toBe(LOCKED)
  release()
  expect(new Set(await Promise.all(regulars))).toEqual(new Set(['OK']))
  await Promise.all(burst)
  expect(work.most).toBe(3)
  expect(answers.filter((answer) => answer === 'OK')).toHaveLength(153)
})
