import { type RawBuilder, sql } from 'kysely'
import { SERVER_USER_POSTS_COUNTED, SERVER_USERS_PAGE } from '#contract/limits.ts'
import { ServerUser } from '#contract/server-users.ts'
import type { User } from '#contract/users.ts'
import { WAITING } from '#domain/delivery/waiting.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { findIdentityUser, type Identity, setIdentityDisabled } from '#identity/identity.ts'
import { notifyNews, notifyWake } from '../db/bus.ts'
import { holdSent, type PauseDeps, releaseHeld } from '../pauses/set-pause.ts'
import { eraseUser, type EraseDeps } from '../users/erase-user.ts'
import { isHosted, isOperator } from '../users/store.ts'
import { storageUsed } from '../videos/quota.ts'
import { insertAct, type NewAct, recordAct } from './acts.ts'

export type ServerUserDeps = PauseDeps &
  EraseDeps & {
    readonly identity: Pick<Identity, 'publicSettings' | 'signOutEverywhere' | 'users'>
    readonly config: PauseDeps['config'] & {
      readonly operatorEmail: string | null
      readonly smtpUrl: string | null
      readonly storageQuota: number | null
    }
  }

/** The order of the list, and of its index: the same on every machine. */
const ADDRESS = sql<string>`lower(users.email) collate "C"`

/** @throws Problem malformed for a cursor that is not one of ours */
export async function listServerUsers(
  deps: ServerUserDeps,
  { search = '', cursor }: { readonly search?: string | undefined; readonly cursor?: string | undefined },
): Promise<{ items: ServerUser[]; next_cursor: string | null; default_quota_bytes: number | null }> {
  const after = cursor === undefined ? null : parseCursor(cursor)
  const rows = await usersQuery(deps.db, search.toLowerCase(), after).execute()
  const page = rows.slice(0, SERVER_USERS_PAGE)
  const last = page.at(-1)
  return {
    items: page.map((row) => toServerUser(deps, row)),
    next_cursor: rows.length > page.length && last ? formatCursor(last) : null,
    default_quota_bytes: deps.config.storageQuota,
  }
}

type UserCursor = { readonly address: string; readonly userId: number }

export const usersQuery = (db: Db, prefix: string, after: UserCursor | null) =>
  selectUsers(db)
    // No address has a character after the last one of Unicode.
    .where(sql<boolean>`${ADDRESS} >= ${prefix} and ${ADDRESS} < ${`${prefix}\u{10FFFF}`}`)
    .$if(after !== null, (users) =>
      users.where(sql<boolean>`(${ADDRESS}, users.user_id) > (${after?.address}, ${after?.userId}::bigint)`),
    )
    .orderBy(ADDRESS)
    .orderBy('users.user_id')
    .limit(SERVER_USERS_PAGE + 1)

const formatCursor = ({ email, user_id }: { readonly email: string; readonly user_id: number }): string =>
  Buffer.from(`${user_id} ${email.toLowerCase()}`).toString('base64url')

function parseCursor(cursor: string): UserCursor {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, userId, address] = /^(\d{1,15}) (\P{Cc}+)$/u.exec(text) ?? []
  if (userId === undefined || address === undefined)
    throw new Problem('malformed', 'This cursor is not one of ours.')
  return { userId: Number(userId), address }
}

/** Sums up a user's files, and reads up to a thousand of what is counted. */
const selectUsers = (db: Db) =>
  db
    .selectFrom('users')
    .leftJoin('identity_users as own', 'own.uid', 'users.uid')
    .select([
      'users.user_id',
      'users.uid',
      'users.email',
      'users.email_confirmed',
      'users.nickname',
      'users.operator_by',
      'users.created_at',
      'users.disabled_at',
      'users.quota_bytes',
      'own.email_verified',
      sql<Date | null>`greatest(own.last_login_at,
        (select max(used_at) from identity_sessions where uid = users.uid))`.as('seen_at'),
      storageUsed(sql.ref('users.user_id')).as('used_bytes'),
      countRows('accounts', sql`unlinked_at is null`).as('accounts'),
      countRows('posts', sql`deleted_at is null`).as('posts'),
      countRows(
        'deliveries',
        sql`users.disabled_at is not null and state = 'blocked' and reason_code = ${WAITING.userDisabled}`,
      ).as('held'),
    ])

const countRows = (table: 'accounts' | 'posts' | 'deliveries', which: RawBuilder<unknown>) =>
  sql<number>`(select count(*)::int from (
    select from ${sql.table(table)} as one where one.user_id = users.user_id and ${which}
    limit ${sql.lit(SERVER_USER_POSTS_COUNTED)}) as counted)`

type UserRow = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>

const toServerUser = (deps: ServerUserDeps, row: UserRow): ServerUser => ({
  user_id: ServerUser.shape.user_id.parse(row.user_id),
  email: row.email,
  nickname: row.nickname,
  operator: isOperator({ ...row, isConfirmed: isConfirmed(deps, row) }, deps.config),
  created_at: row.created_at.toISOString(),
  seen_at: row.seen_at?.toISOString() ?? null,
  disabled_at: row.disabled_at?.toISOString() ?? null,
  held: row.held,
  used_bytes: row.used_bytes,
  quota_bytes: row.quota_bytes,
  accounts: row.accounts,
  posts: row.posts,
})

type HostDeps = { readonly identity: { readonly publicSettings: Pick<Identity['publicSettings'], 'mode'> } }
type OperatorDeps = HostDeps & { readonly config: { readonly operatorEmail: string | null } }

const isConfirmed = (deps: HostDeps, row: Pick<UserRow, 'email_confirmed' | 'email_verified'>): boolean =>
  isHosted(deps) ? row.email_confirmed : row.email_verified === true

/** @throws Problem not_found */
async function findServerUser(deps: ServerUserDeps, userId: number): Promise<ServerUser & { uid: string }> {
  const row = await selectUsers(deps.db).where('users.user_id', '=', userId).executeTakeFirst()
  if (!row) throw notFound('user')
  return { ...toServerUser(deps, row), uid: row.uid }
}

type By = { readonly operator: User; readonly userId: number }

/**
 * Disables a user, or enables them. Every call that publishes locks the user's row when it begins, so that none begins after this
 * answer. What is being sent is held at once, and what comes due meanwhile then; enabling is the end of a pause.
 * @throws Problem not_found; conflict for the last operator
 */
export async function disableUser(deps: ServerUserDeps, by: By, disabled: boolean): Promise<ServerUser> {
  const { userId } = by
  const hasChanged = await setDisabled(deps, by, disabled, disabled ? 'user_disabled' : 'user_enabled')
  const what = { of: 'user', id: userId, userId } as const
  if (hasChanged && disabled) {
    await deps.db.transaction().execute((trx) => holdSent(trx, deps, what, deps.now()))
    // Ends the streams.
    await notifyNews(deps.db, { userId, deliveryId: null, eventId: null })
  }
  if (hasChanged && !disabled) {
    await releaseHeld(deps, what)
    await wakeComments(deps, userId)
  }
  return findServerUser(deps, userId)
}

/** @returns false: it is so already */
const setDisabled = (
  deps: ServerUserDeps,
  { operator, userId }: By,
  disabled: boolean,
  act: 'user_disabled' | 'user_enabled' | 'user_deleted',
): Promise<boolean> =>
  deps.db.transaction().execute(async (trx) => {
    if (disabled) await assertOtherOperator(trx, deps, userId)
    const user = await trx
      .selectFrom('users')
      .select(['uid', 'email', 'disabled_at'])
      .where('user_id', '=', userId)
      // Waits for calls that begin, which an update alone would not. Nothing is locked after it that others lock before.
      .forUpdate()
      .executeTakeFirst()
    if (!user) throw notFound('user')
    const before = { disabled: user.disabled_at !== null }
    if (before.disabled === disabled && act !== 'user_deleted') return false
    const after = act === 'user_deleted' ? null : { disabled }
    const now = deps.now()
    await insertAct(trx, { operator: operator.email, act, subject: user.email, before, after }, now)
    if (before.disabled === disabled) return false
    // Log-ins are told in whole seconds.
    const logins_since = new Date(Math.ceil(now / 1000) * 1000)
    await trx
      .updateTable('users')
      .set(disabled ? { disabled_at: new Date(now), logins_since } : { disabled_at: null })
      .where('user_id', '=', userId)
      .execute()
    await setIdentityDisabled(trx, user.uid, disabled, now)
    return true
  })

/** Only one operator at a time is disabled, deleted or revoked. @throws Problem conflict if nobody else operates the server */
export async function assertOtherOperator(trx: Db, deps: OperatorDeps, userId: number): Promise<void> {
  if (await isLastOperator(trx, deps, userId))
    throw new Problem('conflict', 'This is the only operator of this server. Make somebody else one first.')
}

/** What it tells holds until the transaction ends. Call it before a user's row is locked. */
export async function isLastOperator(trx: Db, deps: OperatorDeps, userId: number): Promise<boolean> {
  await trx.selectFrom('server_state').select('only_row').forUpdate().execute()
  const { operatorEmail } = deps.config
  const rows = await trx
    .selectFrom('users')
    .leftJoin('identity_users as own', 'own.uid', 'users.uid')
    .select([
      'users.user_id',
      'users.email',
      'users.operator_by',
      'users.email_confirmed',
      'own.email_verified',
    ])
    .where('users.disabled_at', 'is', null)
    .where((eb) => eb.or([eb('users.operator_by', 'is not', null), eb(ADDRESS, '=', operatorEmail ?? '')]))
    .execute()
  const operators = rows.filter((row) =>
    isOperator({ ...row, isConfirmed: isConfirmed(deps, row) }, deps.config),
  )
  return operators.length === 1 && operators[0]?.user_id === userId
}

async function wakeComments({ db, now }: ServerUserDeps, userId: number): Promise<void> {
  const at = new Date(now())
  await db
    .updateTable('follow_ups')
    // The version keeps a worker that has just found the user disabled from putting it off.
    .set((eb) => ({ wake_at: sql<Date>`least(wake_at, ${at})`, version: eb('version', '+', 1) }))
    .where('user_id', '=', userId)
    .where('kind', '=', 'first_comment')
    .where('state', '=', 'waiting')
    .execute()
  await notifyWake(db)
}

/** Nothing begins to be published from the first moment on. @throws Problem not_found; conflict for the last operator */
export async function deleteUser(deps: ServerUserDeps, by: By): Promise<void> {
  const { uid } = await findServerUser(deps, by.userId)
  await setDisabled(deps, by, true, 'user_deleted')
  await eraseUser(deps, uid)
}

/** @throws Problem not_found */
export async function setUserQuota(
  deps: ServerUserDeps,
  { operator, userId }: By,
  quotaBytes: number | null,
): Promise<ServerUser> {
  const { email: subject, quota_bytes } = await findServerUser(deps, userId)
  const change = { before: { quota_bytes }, after: { quota_bytes: quotaBytes } }
  const act: NewAct = { operator: operator.email, act: 'user_quota_set', subject, ...change }
  await recordAct(deps.db, act, deps.now(), (trx) =>
    trx.updateTable('users').set({ quota_bytes: quotaBytes }).where('user_id', '=', userId).execute(),
  )
  return findServerUser(deps, userId)
}

const AT_THE_PROVIDER = 'The hosted identity service does this: use its console.'

/** @throws Problem not_found; not_offered with a hosted identity service */
export async function endSessions(deps: ServerUserDeps, { operator, userId }: By): Promise<void> {
  const { uid, email: subject } = await findServerUser(deps, userId)
  const { signOutEverywhere } = deps.identity
  if (!signOutEverywhere) throw new Problem('not_offered', AT_THE_PROVIDER)
  await insertAct(
    deps.db,
    { ...PLAIN, operator: operator.email, act: 'user_logged_out', subject },
    deps.now(),
  )
  await signOutEverywhere(uid)
  await notifyNews(deps.db, { userId, deliveryId: null, eventId: null })
}

const userIsDisabled = () => new Problem('conflict', 'This user is disabled. Enable them first.')

/** An act that changes nothing that may be told. */
const PLAIN = { before: null, after: null } as const

/** @returns null: the link was mailed. @throws Problem not_found; not_offered with a hosted identity service; conflict for a disabled user */
export async function sendResetLink(
  deps: ServerUserDeps,
  { operator, userId }: By,
): Promise<{ link: string | null }> {
  const { uid, disabled_at } = await findServerUser(deps, userId)
  const { users } = deps.identity
  if (!users) throw new Problem('not_offered', AT_THE_PROVIDER)
  if (disabled_at !== null) throw userIsDisabled()
  // Our copy of the address is of the user's last call.
  const its = await findIdentityUser(deps.db, uid)
  if (!its) throw notFound('user')
  const { email: subject } = its
  const act = { ...PLAIN, operator: operator.email, subject }
  if (deps.config.smtpUrl !== null) {
    await insertAct(deps.db, { ...act, act: 'reset_link_sent' }, deps.now())
    await users.mailResetLink(its)
    return { link: null }
  }
  return recordAct(deps.db, { ...act, act: 'reset_link_made' }, deps.now(), async () => {
    const made = await users.resetLink(its)
    if ('refused' in made) throw userIsDisabled()
    return { link: made.link }
  })
}
