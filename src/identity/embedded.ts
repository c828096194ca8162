import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '#base/db/open.ts'
import type { Mailer } from '#base/mail/mail.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { Admit, Core, RecordProviderLogin } from './core/core.ts'
import { DEFAULT_RULES, type Rules } from './core/rules.ts'
import { createAccount } from './core/sign-up.ts'
import { createSemaphore } from '#base/semaphore.ts'
import { administerUsers } from './core/users.ts'
import type { Identity, NewUser, SignUpOutcome } from './identity.ts'
import { rotateKeys } from './credentials/key-rotation.ts'
import { openKeys } from './credentials/keys.ts'
import { createMailOutbox } from './mails/outbox.ts'
import { HASH_COST, type HashCost, MAX_CONCURRENT_HASHES } from './credentials/passwords.ts'
import { createOidcClient, type Provider } from './oidc/client.ts'
import { createProtocol } from './protocol/protocol.ts'
import { revokeAll } from './store/sessions.ts'
import { createThrottle } from './limits/throttle.ts'
import { createIdTokenVerifier } from './credentials/verifier.ts'

const PROJECT_ID = 'reelay'
/** Public: it identifies the service and the stored user in the browser, and grants nothing. */
const API_KEY = 'reelay'
const IDENTITY_PATH = '/identity'

export type EmbeddedIdentityDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly mail: Mailer
  readonly now: () => number
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Origin without trailing slash. Links and the issuer use it, never a request header. */
  readonly publicUrl: string
  readonly eraseUser: (uid: string) => Promise<void>
  readonly admit: Admit
  readonly recordProviderLogin: RecordProviderLogin
  readonly providers: readonly Provider[]
  readonly rules: Partial<Rules>
  /** Days after which a signing key is rotated. */
  readonly keyDays: number
  /** Tests hash cheaply. */
  readonly hashCost?: HashCost | undefined
}

/**
 * The built-in identity service. Register `plugin` under `/identity`; mails are sent while it runs.
 * The database must be migrated: the signing key is read or created here.
 */
export async function createEmbeddedIdentity(deps: EmbeddedIdentityDeps): Promise<Identity> {
  const { db, encrypter, now, publicUrl } = deps
  const shared = {
    db,
    encrypter,
    now,
    publicUrl,
    apiKey: API_KEY,
    admit: deps.admit,
    recordProviderLogin: deps.recordProviderLogin,
    rules: { ...DEFAULT_RULES, ...deps.rules },
  }
  const mails = createMailOutbox({ ...shared, mail: deps.mail, log: deps.log })
  const core: Core = {
    ...shared,
    keys: await openKeys(deps),
    issuer: { url: `${publicUrl}${IDENTITY_PATH}`, audience: PROJECT_ID },
    // More calls than wait for a hash: a refused call also queries the database, and a flood must not use all connections.
    callPermits: createSemaphore({ permits: 250, maxWaiting: 250, maxWaitingPerKey: 50 }),
    // Clients time out after about 200 hashes. Neither one address nor all unknown ones can take all places.
    hashPermits: createSemaphore({
      permits: MAX_CONCURRENT_HASHES,
      maxWaiting: 200,
      maxWaitingPerKey: 50,
      reservedForKnown: 50,
    }),
    hashCost: deps.hashCost ?? HASH_COST,
    throttle: createThrottle(db),
    wakeMail: () => mails.wake(),
    eraseUser: deps.eraseUser,
  }
  const oidc = createOidcClient({
    ...deps,
    callbackUrl: (id) => `${publicUrl}${IDENTITY_PATH}/oidc/${id}/callback`,
  })
  const verify = createIdTokenVerifier(core.keys.getKey, core.issuer)
  return {
    verify: (token) => verify(token, now()),
    signUp: (user) => signUp(core, user),
    signOutEverywhere: (uid) => revokeAll(db, uid, new Date(now())),
    users: administerUsers(core),
    selfDeletion: core.rules.selfDeletion,
    publicSettings: {
      mode: 'embedded',
      apiKey: API_KEY,
      projectId: PROJECT_ID,
      path: IDENTITY_PATH,
      providers: oidc.providers.map(({ id, name, auto }) => ({ id, name, auto })),
    },
    runMaintenance: async () => {
      await rotateKeys(deps, { kind: 'scheduled', days: deps.keyDays })
    },
    plugin: createProtocol(core, { mails, publicUrl, projectId: PROJECT_ID, log: deps.log, oidc }),
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
    case 'not_invited':
    case 'email_taken':
    case 'invalid_email':
    case 'too_many_attempts':
      return { kind: made.refused }
  }
}
