import { StartError } from '#base/start-error.ts'
import type { Db } from '#base/db/open.ts'
import type { Identity, UserAdministration } from '#identity/identity.ts'
import { recordAct } from './acts.ts'
import { assertOtherOperator } from './users.ts'

export type OperatorDeps = {
  readonly db: Db
  readonly config: { readonly operatorEmail: string | null }
  readonly identity: Pick<Identity, 'publicSettings'>
  /** Undefined: a hosted service has its own console. */
  readonly users: UserAdministration | undefined
  readonly now: () => number
}

/** For the command line. @throws StartError where nobody has signed up with this address */
export async function grantOperator(deps: OperatorDeps, email: string): Promise<void> {
  const user = await findUser(deps.db, email)
  await setOperator(deps, user, 'granted')
}

/** @throws StartError where nobody has this address, or OPERATOR_EMAIL names it; Problem conflict for the last operator */
export async function revokeOperator(deps: OperatorDeps, email: string): Promise<void> {
  const user = await findUser(deps.db, email)
  if (user.email.toLowerCase() === deps.config.operatorEmail)
    throw new StartError(`OPERATOR_EMAIL names ${email}: change that variable, and restart the server.`)
  await setOperator(deps, user, null)
}

/** @returns an address at which a new password is set, once @throws StartError where there is no such user */
export async function makeResetLink({ db, users, now }: OperatorDeps, email: string): Promise<string> {
  if (!users)
    throw new StartError("IDENTITY is firebase: passwords are reset in the hosted service's console.")
  const known = await users.find({ email })
  if (!known) throw new StartError(`Nobody has signed up with ${email}.`)
  const act = {
    operator: null,
    act: 'reset_link_made',
    subject: known.email ?? email,
    before: null,
    after: null,
  } as const
  return recordAct(db, act, now(), async () => {
    const made = await users.resetLink(known)
    if ('refused' in made) throw new StartError(`${email} gets no link: the user is disabled.`)
    return made.link
  })
}

type Row = { readonly user_id: number; readonly email: string; readonly operator_by: string | null }

async function findUser(db: Db, email: string): Promise<Row> {
  const row = await db
    .selectFrom('users')
    .select(['user_id', 'email', 'operator_by'])
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.trim().toLowerCase()))
    .orderBy('user_id', 'desc')
    .executeTakeFirst()
  if (!row) throw new StartError(`Nobody has signed up with ${email}.`)
  return row
}

async function setOperator(deps: OperatorDeps, user: Row, by: 'granted' | null): Promise<void> {
  if (user.operator_by === by) return
  const act = {
    operator: null,
    act: by === null ? 'operator_revoked' : 'operator_granted',
    subject: user.email,
    before: { operator_by: user.operator_by },
    after: { operator_by: by },
  } as const
  await recordAct(deps.db, act, deps.now(), async (trx) => {
    if (by === null) await assertOtherOperator(trx, deps, user.user_id)
    await trx.updateTable('users').set({ operator_by: by }).where('user_id', '=', user.user_id).execute()
  })
}
