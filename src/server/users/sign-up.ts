import type { SignUpMode } from '#contract/settings.ts'
import { INVITED_ONLY } from '#contract/invited-only.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { secretHash } from '#base/secret.ts'
import type { Admission, Admit, Applicant } from '#identity/identity.ts'

export type SignUpDeps = {
  readonly config: { readonly signup: SignUpMode | null }
  /** Epoch ms. */
  readonly now: () => number
}

/** SIGNUP decides, else what an operator chose. `hadUsers`: somebody has signed up on this server. */
export async function readSignUp(
  db: Db,
  config: SignUpDeps['config'],
): Promise<{ readonly mode: SignUpMode; readonly hadUsers: boolean }> {
  const state = await db.selectFrom('server_state').select(['signup', 'first_user']).executeTakeFirstOrThrow()
  // Its constraint allows no other.
  const chosen = state.signup as SignUpMode | null
  return { mode: config.signup ?? chosen ?? 'open', hadUsers: state.first_user }
}

/** Who may sign up. The first user of a server needs no invitation, since nobody could make one. */
export const createAdmit =
  ({ config, now }: SignUpDeps): Admit =>
  async (db, applicant) => {
    const { mode, hadUsers } = await readSignUp(db, config)
    if (mode === 'closed') return { kind: 'closed' }
    const at = new Date(now())
    const invitation = await lockInvitation(db, applicant, at)
    if (mode === 'invited' && hadUsers && !invitation) return { kind: 'not_invited' }
    return {
      kind: 'admitted',
      async use() {
        if (!invitation) return
        await db
          .updateTable('invitations')
          .set({ used_at: at, used_by: applicant.email })
          .where('invitation_id', '=', invitation.invitation_id)
          .execute()
      },
    }
  }

async function lockInvitation(db: Db, { email, invitation }: Applicant, now: Date) {
  if (invitation === null) return undefined
  return db
    .selectFrom('invitations')
    .select('invitation_id')
    .where('secret_hash', '=', secretHash(invitation))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('email', 'is', null), eb('email', '=', email)]))
    .forUpdate()
    .executeTakeFirst()
}

/** They name addresses, and admit nobody any more. */
export async function deleteEndedInvitations(db: Db, now: number): Promise<void> {
  await db.deleteFrom('invitations').where('expires_at', '<=', new Date(now)).execute()
}

export const refusedSignUp = (
  kind: Exclude<Admission['kind'], 'admitted'>,
  invitation: string | null,
): Problem => new Problem('signup_closed', kind === 'closed' ? TEXTS.signupClosed : notInvited(invitation))

const notInvited = (invitation: string | null): string =>
  invitation === null
    ? INVITED_ONLY
    : 'This invitation has been used, is for another email address, or has ended. Ask for a new one.'
