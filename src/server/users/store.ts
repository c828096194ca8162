import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { NICKNAME_MAX_CHARS } from '#contract/limits.ts'
import type { SignUp, User } from '#contract/users.ts'
import { UserId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { cutText } from '#contract/well-formed.ts'
import type { Db } from '#base/db/open.ts'
import type { Users } from '#base/db/tables.ts'
import { Problem } from '#base/problem.ts'
import { shareReads } from '#base/share-reads.ts'
import { findIdentityUser } from '#identity/identity.ts'
import type { Admission, Applicant, Claims, Identity } from '#identity/identity.ts'
import { wasErased } from './erase-user.ts'
import { createAdmit, refusedSignUp, type SignUpDeps } from './sign-up.ts'

export type AuthenticateDeps = SignUpDeps & {
  readonly db: Db
  readonly identity: Pick<Identity, 'verify' | 'publicSettings'>
  readonly config: { readonly operatorEmail: string | null }
}

/** What somebody says who becomes a user by logging in. */
type Joining = Pick<SignUp, 'timezone' | 'invitation'>

/**
 * Null if the token is invalid or its session was revoked. Costs one query, or a share of one.
 * @throws Problem user_disabled; with `joining` also signup_closed
 */
export async function authenticate(
  deps: AuthenticateDeps,
  token: string,
  joining: Joining | null = null,
): Promise<User | null> {
  const claims = await deps.identity.verify(token)
  if (!claims) return null
  const [found] = await findWithIdentity(deps.db, claims.uid)
  if (!found) return createMissingUser(deps, claims, joining)
  const { valid_since, disabled, identity_email, email_verified, disabled_at, logins_since, ...row } = found
  if (disabled_at !== null) throw new Problem('user_disabled', TEXTS.userDisabled)
  if (logins_since !== null && claims.authTime < logins_since.getTime() / 1000) return null
  const status =
    valid_since === null || disabled === null ? null : { valid_since, disabled, email: identity_email }
  const email = currentEmail(deps, claims, status)
  if (email === null) return null
  // The embedded service stores it itself; the token's copy may be older.
  const hosted = isHosted(deps)
  const email_confirmed = hosted ? claims.emailVerified : row.email_confirmed
  if (email !== row.email || email_confirmed !== row.email_confirmed)
    await updateEmail(deps.db, claims.uid, { email, email_confirmed })
  const isConfirmed = hosted ? email_confirmed : email_verified === true
  return toUser({ ...row, email }, isOperator({ ...row, email, isConfirmed }, deps.config))
}

type IdentityStatus = {
  readonly valid_since: Date
  readonly disabled: boolean
  readonly email: string | null
}

/**
 * The identity's current address; null if the token no longer counts. With a hosted provider only the token counts: rows of
 * the embedded service may remain from before.
 */
function currentEmail(deps: AuthenticateDeps, claims: Claims, status: IdentityStatus | null): string | null {
  if (isHosted(deps)) return claims.email
  if (!status || status.disabled) return null
  return claims.authTime >= status.valid_since.getTime() / 1000 ? status.email : null
}

const readWithIdentity = (db: Db, uid: string) =>
  db
    .selectFrom('users')
    .leftJoin('identity_users as identity', 'identity.uid', 'users.uid')
    .select([
      'users.user_id',
      'users.uid',
      'users.email',
      'users.email_confirmed',
      'users.nickname',
      'users.timezone',
      'users.created_at',
      'users.operator_by',
      'users.disabled_at',
      'users.logins_since',
      'identity.valid_since',
      'identity.disabled',
      'identity.email as identity_email',
      'identity.email_verified',
    ])
    .where('users.uid', '=', uid)
    .execute()

/** A page sends several calls at once; each is checked by a read that began after it arrived. */
const findWithIdentity = shareReads(readWithIdentity)

async function updateEmail(
  db: Db,
  uid: string,
  change: Pick<Selectable<Users>, 'email' | 'email_confirmed'>,
): Promise<void> {
  await db.updateTable('users').set(change).where('uid', '=', uid).execute()
}

/**
 * Creates the user of a valid token if sign-up stopped after creating the identity, or an operator created it. Null for
 * deleted users, and with a hosted provider for whoever is not admitted and is not `joining`.
 * @throws Problem signup_closed for whoever is
 */
async function createMissingUser(
  deps: AuthenticateDeps,
  claims: Claims,
  joining: Joining | null,
): Promise<User | null> {
  const status = (await findIdentityUser(deps.db, claims.uid)) ?? null
  const email = currentEmail(deps, claims, status)
  if (email === null || (await wasErased(deps.db, claims))) return null
  const values = {
    uid: claims.uid,
    email,
    email_confirmed: claims.emailVerified,
    nickname: makeNickname(claims.name, email),
    timezone: joining?.timezone ?? 'UTC',
  }
  // Concurrent calls create it only once, and a slow sign-up has the better data.
  const invitation = joining?.invitation ?? null
  const row = await insertAdmitted(deps, { email, invitation }, (db) => insertRow(db, values, { email }))
  if ('kind' in row) {
    if (joining) throw refusedSignUp(row.kind, invitation)
    return null
  }
  const isConfirmed = isHosted(deps) ? claims.emailVerified : status?.email_verified === true
  return toUser(row, isOperator({ ...row, isConfirmed }, deps.config))
}

export const makeNickname = (name: string | null, email: string): string =>
  cutText((name ?? email.split('@')[0] ?? '').trim(), NICKNAME_MAX_CHARS).trim() || 'You'

/**
 * OPERATOR_EMAIL names who runs the server in place of its first user. Only a confirmed address counts: anybody can sign up with
 * another's.
 */
export function isOperator(
  user: Pick<Selectable<Users>, 'operator_by' | 'email'> & { readonly isConfirmed: boolean },
  { operatorEmail }: Pick<AuthenticateDeps['config'], 'operatorEmail'>,
): boolean {
  if (user.operator_by === 'granted' || user.operator_by === 'provider') return true
  if (operatorEmail === null) return user.operator_by === 'first'
  return user.isConfirmed && user.email.toLowerCase() === operatorEmail
}

/** Updates the row of a user whose identity has one. The very first user of a server is marked as its operator. */
export const insertRow = (
  db: Db,
  values: Omit<Insertable<Users>, 'operator_by'>,
  change: { email: string } | { nickname: string; timezone: string },
): Promise<Selectable<Users>> =>
  db
    .with('first', (cte) =>
      cte
        .updateTable('server_state')
        .set({ first_user: true })
        .where('first_user', '=', false)
        .returning('first_user'),
    )
    .insertInto('users')
    .values({ ...values, operator_by: sql`(select 'first' from first)` })
    .onConflict((conflict) => conflict.column('uid').doUpdateSet(change))
    .returningAll()
    .executeTakeFirstOrThrow()

export const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('user_id').limit(1).executeTakeFirst()) !== undefined

/** The time since which the user's log-ins count. Null if none of them ended; a hosted provider does not tell of those that it ended. */
export const loginSince = (
  userId: RawBuilder<unknown> | number,
): RawBuilder<Date | null> => sql<Date | null>`(
  select greatest(i.valid_since, u.logins_since) from users u left join identity_users i on i.uid = u.uid
  where u.user_id = ${userId})`

export type NewUserRow = Pick<User, 'uid' | 'email' | 'nickname' | 'timezone'>

/**
 * Updates the row if `authenticate` created it for the same identity meanwhile.
 * @throws Problem signup_closed
 */
export async function insertUser(
  deps: InsertDeps,
  { uid, email, nickname, timezone }: NewUserRow,
  invitation: string | null,
): Promise<User> {
  const row = await insertAdmitted(deps, { email, invitation }, (db) =>
    insertRow(db, { uid, email, nickname, timezone }, { nickname, timezone }),
  )
  if ('kind' in row) throw refusedSignUp(row.kind, invitation)
  return toUser(row, isOperator({ ...row, isConfirmed: false }, deps.config))
}

/** @throws Problem signup_closed where this cannot become a user. The built-in identity service decides that itself */
export async function assertAdmitted(deps: InsertDeps, applicant: Applicant): Promise<void> {
  if (!isHosted(deps)) return
  const admission = await createAdmit(deps)(deps.db, applicant)
  if (admission.kind !== 'admitted') throw refusedSignUp(admission.kind, applicant.invitation)
}

type InsertDeps = Pick<AuthenticateDeps, 'db' | 'config' | 'now'> & {
  readonly identity: Pick<Identity, 'publicSettings'>
}

/** Anybody can sign up at a hosted provider: there our row makes the user. The built-in service has admitted its own. */
function insertAdmitted(
  deps: InsertDeps,
  applicant: Applicant,
  insert: (db: Db) => Promise<Selectable<Users>>,
): Promise<Selectable<Users> | Exclude<Admission, { kind: 'admitted' }>> {
  if (!isHosted(deps)) return insert(deps.db)
  return deps.db.transaction().execute(async (trx) => {
    const admission = await createAdmit(deps)(trx, applicant)
    if (admission.kind !== 'admitted') return admission
    const row = await insert(trx)
    await admission.use()
    return row
  })
}

type HostDeps = { readonly identity: { readonly publicSettings: Pick<Identity['publicSettings'], 'mode'> } }

export const isHosted = ({ identity }: HostDeps): boolean => identity.publicSettings.mode === 'firebase'

export async function updateUser(
  db: Db,
  user: User,
  change: { nickname: string } | { timezone: string },
): Promise<User> {
  const row = await db
    .updateTable('users')
    .set(change)
    .where('user_id', '=', user.user_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toUser({ ...row, email: user.email }, user.operator)
}

/** Brands that follow the user's zone keep their present one, so that no post or slot moves unseen. */
export function changeTimezone(db: Db, user: User, timezone: string): Promise<User> {
  return db.transaction().execute(async (trx) => {
    if (timezone !== user.timezone)
      await trx
        .updateTable('brands')
        .set({ timezone: user.timezone })
        .where('user_id', '=', user.user_id)
        .where('timezone', 'is', null)
        .where('deleted_at', 'is', null)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('schedules')
              .select('schedule_id')
              .whereRef('schedules.brand_id', '=', 'brands.brand_id')
              .where('schedules.deleted_at', 'is', null),
          ),
        )
        .execute()
    return updateUser(trx, user, { timezone })
  })
}

type UserRow = Pick<Selectable<Users>, 'user_id' | 'uid' | 'email' | 'nickname' | 'timezone' | 'created_at'>

export const toUser = (row: UserRow, operator: boolean): User => ({
  user_id: UserId.parse(row.user_id),
  uid: row.uid,
  email: row.email,
  nickname: row.nickname,
  timezone: row.timezone,
  operator,
  created_at: row.created_at.toISOString(),
})
