import { setTimeout as sleep } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { accountName, type Account, type LinkFinish, type LinkStart } from '#contract/accounts.ts'
import { LINK_STATE_TTL_MS } from '#contract/limits.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { ProblemCode } from '#contract/http/problem.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import type { Grant, Platform, Profile } from '#platforms/kit/platform.ts'
import type { Config } from '../runtime/config.ts'
import type { Db } from '#base/db/open.ts'
import type { LinkAttempts } from '#base/db/tables.ts'
import { moveDeliveriesOf } from '../deliveries/store.ts'
import { Problem, notFound, platformOff } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { type AccessDeps, accessColumns, explain } from './access.ts'
import { type AccountRow, findAccount, ownsBrand, toAccount } from './store.ts'

export type LinkDeps = AccessDeps & { readonly config: Pick<Config, 'platforms'> }

/** How long a second identical request waits for the first one's answer. */
const REPLAY_WAIT_MS = 20_000

/**
 * Begins linking an account: keeps (hashed) a one-time state bound to user, brand and platform, and says where the consent
 * page is.
 * @throws Problem platform_off; not_found for a brand or account that is not the user's
 */
export async function startLink(
  deps: LinkDeps,
  userId: number,
  platformId: PlatformId,
  asked: { readonly brand_id: number; readonly account_id?: number | undefined },
): Promise<LinkStart> {
  const { platform, redirectUri } = linkable(deps, platformId)
  if (!(await ownsBrand(deps.db, userId, asked.brand_id))) throw notFound('brand')
  if (asked.account_id !== undefined) {
    const account = await findAccount(deps.db, userId, asked.account_id)
    if (account.brand_id !== asked.brand_id || account.platform !== platformId) throw notFound('account')
  }
  const state = newSecret()
  await deps.db
    .insertInto('link_attempts')
    .values({
      state_hash: secretHash(state),
      user_id: userId,
      brand_id: asked.brand_id,
      account_id: asked.account_id ?? null,
      platform: platformId,
      redirect_uri: redirectUri,
      created_at: new Date(deps.now()),
    })
    .execute()
  return { url: platform.authorizeUrl({ state, redirectUri }), state }
}

/**
 * Finishes linking with the code that the platform sent back. A state works once; a repeated call, such as
 * from a page that renders twice, gets the first answer again.
 * @throws Problem link_refused, already_linked, conflict, platform_failed, platform_off
 */
export async function finishLink(
  deps: LinkDeps,
  userId: number,
  platformId: PlatformId,
  sent: LinkFinish,
): Promise<Account> {
  const { platform } = linkable(deps, platformId)
  const attempt = await findAttempt(deps.db, userId, platformId, sent.state)
  if (!attempt) throw refused("This link wasn't started here. Start again from Accounts.")
  if (sent.brand_id !== undefined && sent.brand_id !== attempt.brand_id) {
    throw refused('This link was started for another brand. Start again from Accounts.')
  }
  if (!(await consume(deps, attempt))) return replay(deps, userId, platformId, sent.state)

  const outcome = await link(deps, platform, attempt, sent.code)
  await deps.db
    .updateTable('link_attempts')
    .set({ outcome: JSON.stringify(outcome) })
    .where('state_hash', '=', attempt.state_hash)
    .execute()
  return answer(deps.db, userId, outcome)
}

type Attempt = Selectable<LinkAttempts>

/** The stored result of an attempt, for repeated calls. */
const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('linked'), accountId: z.number() }),
  z.object({
    kind: z.literal('refused'),
    code: ProblemCode,
    message: z.string(),
  }),
])
type Outcome = z.infer<typeof Outcome>

async function link(deps: LinkDeps, platform: Platform, attempt: Attempt, code: string): Promise<Outcome> {
  const granted = await platform.exchangeCode({ code, redirectUri: attempt.redirect_uri })
  if (!granted.ok) return outcomeOf(granted.failure)
  const grant = granted.value
  const lacking = platform.capabilities.scopes.toLink.filter((scope) => !grant.scopes.includes(scope))
  if (lacking.length > 0) {
    // The grant is left alone: taking it back would also end what the same account has linked before.
    return refusal(
      `${PLATFORM_NAMES[platform.id]} did not say which account this is. Start again and leave every permission ticked.`,
    )
  }
  const profile = await platform.profile({
    accessToken: grant.tokens.accessToken,
    externalId: grant.externalId,
    scopes: grant.scopes,
  })
  if (!profile.ok) return outcomeOf(profile.failure)
  return deps.db.transaction().execute((trx) => attach(trx, deps, platform, attempt, grant, profile.value))
}

/** Writes the account down: a new one, or one that is linked again. */
async function attach(
  trx: Db,
  deps: LinkDeps,
  platform: Platform,
  attempt: Attempt,
  grant: Grant,
  profile: Profile,
): Promise<Outcome> {
  const brand = await trx
    .selectFrom('brands')
    .select('brand_id')
    .where('brand_id', '=', attempt.brand_id)
    .where('deleted_at', 'is', null)
    // Blocks a concurrent delete: it updates the row, which a key share lock would allow.
    .forShare()
    .executeTakeFirst()
  if (!brand) return refusal('This brand was deleted in the meantime.')
  const known = await knownAccount(trx, attempt, profile)
  const refusedAs = await misfit(trx, attempt, profile, known)
  if (refusedAs) return refusedAs

  const values = {
    brand_id: attempt.brand_id,
    // What was known of it stays known where the platform does not tell it this time.
    username: profile.username ?? known?.username ?? null,
    app_scoped_id: profile.appScopedId ?? known?.app_scoped_id ?? null,
    display_name: profile.displayName,
    avatar_url: profile.avatarUrl,
    scopes: [...grant.scopes],
    can_publish: platform.capabilities.scopes.toPublish.every((scope) => grant.scopes.includes(scope)),
    ...accessColumns(deps.encrypter, platform, grant.tokens),
    relink_reason: null,
    access_check_until: null,
    linked_at: new Date(deps.now()),
    unlinked_at: null,
  }
  if (known) {
    await trx.updateTable('accounts').set(values).where('account_id', '=', known.account_id).execute()
    // What waited for it goes on, and what could not be asked about is asked about now.
    await moveDeliveriesOf(trx, deps, known.account_id, { type: 'linked_again' })
    return { kind: 'linked', accountId: known.account_id }
  }
  const inserted = await trx
    .insertInto('accounts')
    .values({
      ...values,
      user_id: attempt.user_id,
      platform: platform.id,
      external_id: profile.externalId,
    })
    // Two browsers that link the same account at the same moment.
    .onConflict((conflict) => conflict.doNothing())
    .returning('account_id')
    .executeTakeFirst()
  if (inserted) return { kind: 'linked', accountId: inserted.account_id }
  return {
    kind: 'refused',
    code: 'conflict',
    message: 'This account is being linked elsewhere. Try again in a moment.',
  }
}

/** The user's row for this account at the platform: the linked one, else one that was unlinked from the same brand. */
async function knownAccount(trx: Db, attempt: Attempt, profile: Profile): Promise<AccountRow | undefined> {
  const rows = await trx
    .selectFrom('accounts')
    .selectAll()
    .where('user_id', '=', attempt.user_id)
    .where('platform', '=', attempt.platform)
    .where('external_id', '=', profile.externalId)
    .orderBy('account_id', 'desc')
    .forUpdate()
    .execute()
  return (
    rows.find(({ unlinked_at }) => unlinked_at === null) ??
    rows.find(({ brand_id }) => brand_id === attempt.brand_id)
  )
}

async function misfit(
  trx: Db,
  attempt: Attempt,
  profile: Profile,
  known: AccountRow | undefined,
): Promise<Outcome | null> {
  if (known && known.unlinked_at === null && known.brand_id !== attempt.brand_id) {
    const brand = await trx
      .selectFrom('brands')
      .select('title')
      .where('brand_id', '=', known.brand_id)
      .executeTakeFirst()
    return {
      kind: 'refused',
      code: 'already_linked',
      message: `${nameOf(profile)} is already linked, in the brand "${brand?.title ?? ''}".`,
    }
  }
  if (attempt.account_id === null || attempt.account_id === known?.account_id) return null
  const wanted = await trx
    .selectFrom('accounts')
    .select(['username', 'display_name'])
    .where('account_id', '=', attempt.account_id)
    .executeTakeFirstOrThrow()
  const name = accountName(wanted)
  return refusal(
    `You chose ${nameOf(profile)}, but the account to link again is ${name}. Log in there as ${name} and start again.`,
  )
}

const nameOf = ({ username, displayName }: Profile): string =>
  accountName({ username, display_name: displayName })

/** True for exactly one caller, and only while the attempt is young enough. */
async function consume(deps: LinkDeps, attempt: Attempt): Promise<boolean> {
  const now = deps.now()
  const taken = await deps.db
    .updateTable('link_attempts')
    .set({ used_at: new Date(now) })
    .where('state_hash', '=', attempt.state_hash)
    .where('used_at', 'is', null)
    .where('created_at', '>', new Date(now - LINK_STATE_TTL_MS))
    .returning('state_hash')
    .executeTakeFirst()
  if (taken) return true
  if (attempt.used_at === null && attempt.created_at.getTime() <= now - LINK_STATE_TTL_MS) {
    throw refused('Linking took longer than ten minutes. Start again from Accounts.')
  }
  return false
}

/** Waits for the answer of the request that came first. */
async function replay(
  deps: LinkDeps,
  userId: number,
  platformId: PlatformId,
  state: string,
): Promise<Account> {
  for (let waited = 0; waited < REPLAY_WAIT_MS; waited += 100) {
    const attempt = await findAttempt(deps.db, userId, platformId, state)
    if (attempt && attempt.outcome !== null) return answer(deps.db, userId, Outcome.parse(attempt.outcome))
    await sleep(100)
  }
  throw new Problem('conflict', 'The account is still being linked. Check Accounts in a moment.')
}

async function answer(db: Db, userId: number, outcome: Outcome): Promise<Account> {
  switch (outcome.kind) {
    case 'linked':
      return toAccount(await findAccount(db, userId, outcome.accountId))
    case 'refused':
      throw new Problem(outcome.code, outcome.message)
  }
}

const findAttempt = (
  db: Db,
  userId: number,
  platformId: PlatformId,
  state: string,
): Promise<Attempt | undefined> =>
  db
    .selectFrom('link_attempts')
    .selectAll()
    .where('state_hash', '=', secretHash(state))
    .where('user_id', '=', userId)
    .where('platform', '=', platformId)
    .executeTakeFirst()

function linkable(deps: LinkDeps, platformId: PlatformId): { platform: Platform; redirectUri: string } {
  const platform = deps.platforms[platformId]
  const config = deps.config.platforms[platformId]
  if (!platform || config.mode === 'off') {
    throw platformOff(platformId)
  }
  return { platform, redirectUri: config.redirectUri }
}

/** The platform's definite no is the user's to mend; everything else is the platform's. */
function outcomeOf(failure: Failure): Outcome {
  switch (failure.kind) {
    case 'rejected':
    case 'account':
      return refusal(explain(failure))
    case 'throttled':
    case 'unreachable':
    case 'unexpected':
      return { kind: 'refused', code: 'platform_failed', message: explain(failure) }
  }
}

const refusal = (message: string): Outcome => ({ kind: 'refused', code: 'link_refused', message })
const refused = (message: string) => new Problem('link_refused', message)
