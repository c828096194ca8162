import { INVITATION_DAYS, INVITATIONS_MAX } from '#contract/limits.ts'
import type { Invitation, ServerSignUp } from '#contract/server-users.ts'
import type { SignUpMode } from '#contract/settings.ts'
import { FRONT_PAGES } from '#contract/http/addresses.ts'
import type { User } from '#contract/users.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { deleteEndedInvitations, readSignUp, type SignUpDeps } from '../users/sign-up.ts'
import { recordAct } from './acts.ts'

export type InvitationDeps = SignUpDeps & {
  readonly db: Db
  readonly config: SignUpDeps['config'] & { readonly publicUrl: string }
}

const DAY_MS = 86_400_000

export async function getServerSignUp(deps: InvitationDeps): Promise<ServerSignUp> {
  const { db, config, now } = deps
  const [{ mode }, rows] = await Promise.all([
    readSignUp(db, config),
    db
      .selectFrom('invitations')
      .selectAll()
      .where('expires_at', '>', new Date(now()))
      .orderBy('invitation_id', 'desc')
      .limit(INVITATIONS_MAX)
      .execute(),
  ])
  return { mode, fixed: config.signup !== null, invitations: rows.map(toInvitation) }
}

type Row = {
  invitation_id: number
  email: string | null
  created_at: Date
  expires_at: Date
  used_by: string | null
}

const toInvitation = ({ invitation_id, email, created_at, expires_at, used_by }: Row): Invitation => ({
  invitation_id,
  email,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
  used_by,
})

/** @throws Problem conflict where SIGNUP decides */
export async function setServerSignUp(
  deps: InvitationDeps,
  operator: User,
  mode: SignUpMode,
): Promise<ServerSignUp> {
  const { db, config, now } = deps
  if (config.signup !== null)
    throw new Problem('conflict', 'SIGNUP decides: change or remove that variable, and restart the server.')
  const before = (await readSignUp(db, config)).mode
  if (before !== mode) {
    const act = { operator: operator.email, act: 'signup_set', subject: 'sign-up' } as const
    await recordAct(db, { ...act, before: { mode: before }, after: { mode } }, now(), (trx) =>
      trx.updateTable('server_state').set({ signup: mode }).execute(),
    )
  }
  return getServerSignUp(deps)
}

/** @throws Problem conflict when there are too many */
export async function createInvitation(
  { db, config, now }: InvitationDeps,
  operator: User,
  email: string | null,
): Promise<Invitation & { link: string }> {
  const secret = newSecret()
  const [created_at, expires_at] = [new Date(now()), new Date(now() + INVITATION_DAYS * DAY_MS)]
  const act = { operator: operator.email, act: 'invitation_made', subject: email ?? 'anybody' } as const
  const after = { expires_at: expires_at.toISOString() }
  const row = await recordAct(db, { ...act, before: null, after }, now(), async (trx) => {
    // One at a time, so that no two make the last one.
    await trx.selectFrom('server_state').select('only_row').forUpdate().execute()
    await deleteEndedInvitations(trx, now())
    const { count } = await trx
      .selectFrom('invitations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= INVITATIONS_MAX)
      throw new Problem(
        'conflict',
        `There are ${INVITATIONS_MAX} invitations already. Revoke one, or wait until one ends.`,
      )
    return trx
      .insertInto('invitations')
      .values({ secret_hash: secretHash(secret), email, created_at, expires_at })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  // After the #, so that no log of a server or proxy has it.
  return { ...toInvitation(row), link: `${config.publicUrl}${FRONT_PAGES.signUp}#${secret}` }
}

/** @throws Problem not_found */
export async function revokeInvitation(
  { db, now }: InvitationDeps,
  operator: User,
  invitationId: number,
): Promise<void> {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('invitation_id', '=', invitationId)
    .executeTakeFirst()
  if (!row) throw notFound('invitation')
  const { expires_at, used_by } = toInvitation(row)
  const act = {
    operator: operator.email,
    act: 'invitation_revoked',
    subject: row.email ?? 'anybody',
  } as const
  await recordAct(db, { ...act, before: { expires_at, used_by }, after: null }, now(), (trx) =>
    trx.deleteFrom('invitations').where('invitation_id', '=', invitationId).execute(),
  )
}
