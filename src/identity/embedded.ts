import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '#base/db/open.ts'
import type { Mailer } from '#base/mail/mail.ts'
import type { Sealer } from '#base/encryption.ts'
import type { Core } from './core/core.ts'
import { DEFAULT_RULES } from './core/rules.ts'
import type { Rules } from './core/rules.ts'
import { readToken } from './core/sessions.ts'
import { createAccount } from './core/sign-up.ts'
import { createGate } from '#base/semaphore.ts'
import { administerUsers } from './core/users.ts'
import type { Identity, NewUser, SignUpOutcome } from './identity.ts'
import { rotateKeys } from './credentials/key-rotation.ts'
import { openKeys } from './credentials/keys.ts'
import { createMailOutbox } from './mails/outbox.ts'
import { HASH_COST, HASHES_AT_ONCE } from './credentials/passwords.ts'
import type { HashCost } from './credentials/passwords.ts'
import { createProtocol } from './protocol/protocol.ts'
import { revokeAll } from './store/sessions.ts'
import { createThrottle } from './limits/throttle.ts'

const PROJECT_ID = 'reelay'
/** Public: it names the service, and the stored user in the browser. It opens nothing. */
const API_KEY = 'reelay'
const IDENTITY_PATH = '/identity'

export type EmbeddedIdentityDeps = {
  readonly db: Db
  readonly sealer: Sealer
  readonly mail: Mailer
  /** Epoch ms. */
  readonly now: () => number
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Origin, without a slash at its end. Links and the issuer are made of it, never of a request's host. */
  readonly publicUrl: string
  /** Deletes a user whose account is deleted: here, and all else that is theirs. */
  readonly forget: (uid: string) => Promise<void>
  /** What differs from `DEFAULT_RULES`. */
  readonly rules: Partial<Rules>
  /** For so many days a key signs before the next one does. */
  readonly keyDays: number
  /** Of a password; tests hash cheaply. */
  readonly hashCost?: HashCost | undefined
}

/**
 * The identity service inside this server. Register its `plugin` with the prefix `/identity`; mail goes out while that is
 * up. Needs the migrated database at once: it reads the signing key, or makes it.
 */
export async function createEmbeddedIdentity(deps: EmbeddedIdentityDeps): Promise<Identity> {
  const { db, sealer, now, publicUrl } = deps
  const shared = { db, sealer, now, publicUrl, apiKey: API_KEY, rules: { ...DEFAULT_RULES, ...deps.rules } }
  const mails = createMailOutbox({ ...shared, mail: deps.mail, log: deps.log })
  const core: Core = {
    ...shared,
    keys: await openKeys(deps),
    whose: { issuer: `${publicUrl}${IDENTITY_PATH}`, audience: PROJECT_ID },
    // A client gives up before 200 hashes are done. No address may keep the queue from others, nor all strangers together.
    gate: createGate({ places: HASHES_AT_ONCE, waiting: 200, waitingPerKey: 50, reserved: 50 }),
    hashCost: deps.hashCost ?? HASH_COST,
    throttle: createThrottle(db),
    wakeMail: () => mails.wake(),
    forget: deps.forget,
  }
  return {
    verify: (token) => readToken(core, token),
    signUp: (user) => signUp(core, user),
    signOutEverywhere: (uid) => revokeAll(db, uid, new Date(now())),
    users: administerUsers(core),
    selfDeletion: core.rules.selfDeletion,
    publicSettings: { mode: 'embedded', apiKey: API_KEY, projectId: PROJECT_ID, path: IDENTITY_PATH },
    tend: async () => {
      await rotateKeys(deps, { kind: 'keep', days: deps.keyDays })
    },
    plugin: createProtocol(core, { mails, publicUrl, projectId: PROJECT_ID }),
  }
}

async function signUp(core: Core, user: NewUser): Promise<SignUpOutcome> {
  const made = await createAccount(core, { ...user, verify: true })
  if (!('refused' in made)) return { kind: 'signed_up', uid: made.uid, email: made.email }
  switch (made.refused) {
    case 'weak_password':
      return { kind: 'weak_password', unmet: made.unmet }
    case 'signup_closed':
      return { kind: 'closed' }
    case 'email_taken':
    case 'invalid_email':
    case 'too_many_attempts':
      return { kind: made.refused }
  }
}
