import type { Db } from '../../db/open.ts'
import type { Purpose } from './codes.ts'

export async function requestMail(db: Db, purpose: Purpose, email: string, now: Date): Promise<void> {
  await db
    .insertInto('identity_mail_requests')
    .values({ purpose, email, requested_at: now, due_at: now })
    .execute()
}

export type MailRequest = {
  readonly request_id: number
  readonly purpose: string
  readonly email: string
  readonly requested_at: Date
  readonly attempts: number
}

/** Takes the next mail that is due, and keeps others from it until `heldUntil`: who crashes meanwhile only delays it. */
export const claimMailRequest = (db: Db, now: Date, heldUntil: Date): Promise<MailRequest | undefined> =>
  db
    .updateTable('identity_mail_requests')
    .set((row) => ({ due_at: heldUntil, attempts: row('attempts', '+', 1) }))
    .where('request_id', '=', (select) =>
      select
        .selectFrom('identity_mail_requests')
        .select('request_id')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['request_id', 'purpose', 'email', 'requested_at', 'attempts'])
    .executeTakeFirst()

export async function deleteMailRequest(db: Db, requestId: number): Promise<void> {
  await db.deleteFrom('identity_mail_requests').where('request_id', '=', requestId).execute()
}
