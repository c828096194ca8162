import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { accountName, type Account, type LinkFinish } from '#contract/accounts.ts'
import { LINK_STATE_TTL_MS } from '#contract/limits.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { ProblemCode } from '#contract/http/problem.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import type { Grant, Platform, Profile } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { releaseAccountDeliveries } from '../deliveries/by-account.ts'
import { readResultsNow } from '../deliveries/result-rows.ts'
import { explain } from './access-failures.ts'
import { codeVerifierOf } from './code-verifier.ts'
import {
  type Attempt,
  brandTitle,
  consumeAttempt,
  findAttempt,
  findKnownAccount,
  insertAccount,
  lockBrand,
  findNames,
  saveOutcome,
  updateAccount,
} from './link-store.ts'
import { type LinkDeps, linkablePlatform } from './linkable.ts'
import { type AccountRow, findAccount, toAccount, whyNoMoreAccounts } from './store.ts'
import { accessColumns } from './tokens.ts'

/** A second identical request waits this long for the first one's answer. */
const REPLAY_WAIT_MS = 20_000

/**
 * Finishes linking with the platform's code. A state works once; a repeated call, for example from a page that renders
 * twice, gets the first answer again. @throws Problem link_refused, already_linked, conflict, platform_failed, platform_off
 */
export async function finishLink(
  deps: LinkDeps,
  userId: number,
  platformId: PlatformId,
  sent: LinkFinish,
): Promise<Account> {
  const { platform } = linkablePlatform(deps, platformId)
  const attempt = await findAttempt(deps.db, userId, platformId, sent.state)
  if (!attempt) throw refused("This link wasn't started here. Start again from Accounts.")
  if (sent.brand_id !== undefined && sent.brand_id !== attempt.brand_id) {
    throw refused('This link was started for another brand. Start again from Accounts.')
  }
  if (!(await consume(deps, attempt))) return replay(deps, userId, platformId, sent.state)

  const outcome = await link(deps, platform, attempt, sent)
  await saveOutcome(deps.db, attempt, outcome)
  return answer(deps.db, userId, outcome)
}

const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('linked'), accountId: z.number() }),
  z.object({
    kind: z.literal('refused'),
    code: ProblemCode,
    message: z.string(),
  }),
])
type Outcome = z.infer<typeof Outcome>

async function link(
  deps: LinkDeps,
  platform: Platform,
  attempt: Attempt,
  { code, state }: Pick<LinkFinish, 'code' | 'state'>,
): Promise<Outcome> {
  const granted = await platform.exchangeCode({
    code,
    redirectUri: attempt.redirect_uri,
    codeVerifier: codeVerifierOf(deps.encrypter, state),
  })
  if (!granted.ok) return toOutcome(granted.failure)
  const grant = granted.value
  const lacking = platform.capabilities.scopes.toLink.filter((scope) => !grant.scopes.includes(scope))
  if (lacking.length > 0) {
    // The grant is not revoked: that would also end the account's earlier link.
    return refusal(explainLack(platform, lacking))
  }
  const profile = await platform.profile({
    accessToken: grant.tokens.accessToken,
    externalId: grant.externalId,
    scopes: grant.scopes,
  })
  if (!profile.ok) return toOutcome(profile.failure)
  return deps.db.transaction().execute((trx) => attach(trx, deps, platform, attempt, grant, profile.value))
}

/** Names the boxes that were unticked, where the platform's page has one for each permission. */
function explainLack({ id, capabilities }: Platform, lacking: readonly string[]): string {
  const boxes = lacking.flatMap((scope) => capabilities.scopes.boxes?.[scope] ?? [])
  return boxes.length === 0
    ? `${PLATFORM_NAMES[id]} did not say which account this is. Start again and leave every permission ticked.`
    : `You did not allow ${boxes.map((words) => `“${words}”`).join(' and ')}, which Reelay needs to post. Start again and tick every box.`
}

async function attach(
  trx: Db,
  deps: LinkDeps,
  platform: Platform,
  attempt: Attempt,
  grant: Grant,
  profile: Profile,
): Promise<Outcome> {
  if (!(await lockBrand(trx, attempt.brand_id))) return refusal('This brand was deleted in the meantime.')
  const known = await findKnownAccount(trx, attempt, profile.externalId)
  const refusedAs = await misfit(trx, attempt, profile, known)
  if (refusedAs) return refusedAs

  const isLinked = known !== undefined && known.unlinked_at === null
  const full = isLinked ? null : await whyNoMoreAccounts(trx, attempt.user_id, attempt.brand_id)
  if (full !== null) return { kind: 'refused', code: 'conflict', message: full }

  const values = {
    brand_id: attempt.brand_id,
    // A value the platform does not tell this time stays known.
    username: profile.username ?? known?.username ?? null,
    app_scoped_id: profile.appScopedId ?? known?.app_scoped_id ?? null,
    grant_owner_id: grant.ownerId ?? known?.grant_owner_id ?? null,
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
    await updateAccount(trx, known.account_id, values)
    // Its blocked deliveries continue, and open outcomes are checked now.
    await releaseAccountDeliveries(trx, deps, known.account_id)
    await readResultsNow(trx, known.account_id, deps.now())
    return { kind: 'linked', accountId: known.account_id }
  }
  const inserted = await insertAccount(trx, {
    ...values,
    user_id: attempt.user_id,
    platform: platform.id,
    external_id: profile.externalId,
  })
  if (inserted !== null) return { kind: 'linked', accountId: inserted }
  return {
    kind: 'refused',
    code: 'conflict',
    message: 'This account is being linked elsewhere. Try again in a moment.',
  }
}

async function misfit(
  trx: Db,
  attempt: Attempt,
  profile: Profile,
  known: AccountRow | undefined,
): Promise<Outcome | null> {
  if (known && known.unlinked_at === null && known.brand_id !== attempt.brand_id) {
    const title = await brandTitle(trx, known.brand_id)
    return {
      kind: 'refused',
      code: 'already_linked',
      message: `${formatName(profile)} is already linked, in the brand "${title ?? ''}".`,
    }
  }
  if (attempt.account_id === null || attempt.account_id === known?.account_id) return null
  const name = accountName(await findNames(trx, attempt.account_id))
  return refusal(
    `You chose ${formatName(profile)}, but the account to link again is ${name}. Log in there as ${name} and start again.`,
  )
}

const formatName = ({ username, displayName }: Profile): string =>
  accountName({ username, display_name: displayName })

async function consume(deps: LinkDeps, attempt: Attempt): Promise<boolean> {
  const now = deps.now()
  if (await consumeAttempt(deps.db, attempt, now)) return true
  if (attempt.used_at === null && attempt.created_at.getTime() <= now - LINK_STATE_TTL_MS) {
    throw refused('Linking took longer than ten minutes. Start again from Accounts.')
  }
  return false
}

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

/** A definite refusal is the user's to fix; everything else is the platform's. */
function toOutcome(failure: Failure): Outcome {
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
