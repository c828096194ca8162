import type { Db } from '#base/db/open.ts'
import { parsePurpose, type Purpose } from './codes.ts'

export type NewMail = {
  readonly purpose: Purpose
  /** The code is bound to this address. Also the recipient, unless `newEmail` is set. */
  readonly email: string
  /** `null`: the user with this address when the mail is sent. */
  readonly uid: string | null
  readonly newEmail: string | null
  readonly continueUrl: string | null
}

/** @param code encrypted; created at the first attempt when `null`. */
export async function insertMailRequest(
  db: Db,
  mail: NewMail,
  now: Date,
  code: Buffer | null = null,
): Promise<void> {
  const { purpose, email, uid, newEmail, continueUrl } = mail
  await db
    .insertInto('identity_mail_requests')
    .values({
      purpose,
      email,
      uid,
      new_email: newEmail,
      continue_url: continueUrl,
      code,
      requested_at: now,
      due_at: now,
    })
    .execute()
}

export type MailRequest = NewMail & {
  readonly requestId: number
  readonly mailKey: string
  readonly requestedAt: Date
  readonly attempts: number
  readonly code: Buffer | null
}

/** Claims the next due mail until `leasedUntil`; after a crash it becomes due again. */
export async function claimMailRequest(db: Db, now: Date, leasedUntil: Date): Promise<MailRequest | null> {
  const row = await db
    .updateTable('identity_mail_requests')
    .set((request) => ({ due_at: leasedUntil, attempts: request('attempts', '+', 1) }))
    .where('request_id', '=', (select) =>
      select
        .selectFrom('identity_mail_requests')
        .select('request_id')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('request_id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
  return row
    ? {
        requestId: row.request_id,
        mailKey: row.mail_key,
        purpose: parsePurpose(row.purpose),
        email: row.email,
        uid: row.uid,
        newEmail: row.new_email,
        continueUrl: row.continue_url,
        requestedAt: row.requested_at,
        attempts: row.attempts,
        code: row.code,
      }
    : null
}

/** @returns false when the request was deleted meanwhile. */
export async function storeMailCode(db: Db, requestId: number, code: Buffer): Promise<boolean> {
  const kept = await db
    .updateTable('identity_mail_requests')
    .set({ code })
    .where('request_id', '=', requestId)
    .returning('request_id')
    .executeTakeFirst()
  return kept !== undefined
}

export async function postponeMail(db: Db, requestId: number, until: Date): Promise<void> {
  await db
    .updateTable('identity_mail_requests')
    .set({ due_at: until })
    .where('request_id', '=', requestId)
    .execute()
}

export async function deleteMailRequest(db: Db, requestId: number): Promise<void> {
  await db.deleteFrom('identity_mail_requests').where('request_id', '=', requestId).execute()
}
