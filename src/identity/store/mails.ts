import type { Db } from '#base/db/open.ts'
import { purposeOf } from './codes.ts'
import type { Purpose } from './codes.ts'

/** A mail with a code in it. */
export type Wanted = {
  readonly purpose: Purpose
  /** The address that the code is bound to. The mail goes there too, unless it is to prove another one. */
  readonly email: string
  /** The one user who asked. `null`: whoever has the address when the mail is made, if anybody. */
  readonly uid: string | null
  /** The address that is to take its place. */
  readonly newEmail: string | null
  readonly continueUrl: string | null
}

/** @param code sealed, where it is made already. Else it is made at the first attempt. */
export async function insertMailRequest(
  db: Db,
  wanted: Wanted,
  now: Date,
  code: Buffer | null = null,
): Promise<void> {
  const { purpose, email, uid, newEmail, continueUrl } = wanted
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

export type MailRequest = Wanted & {
  readonly requestId: number
  /** Names the mail, at every attempt alike. */
  readonly mailKey: string
  readonly requestedAt: Date
  readonly attempts: number
  /** Sealed. `null` before the first attempt. */
  readonly code: Buffer | null
}

/** Takes the next mail that is due, and keeps others from it until `heldUntil`: who crashes meanwhile only delays it. */
export async function claimMailRequest(db: Db, now: Date, heldUntil: Date): Promise<MailRequest | null> {
  const row = await db
    .updateTable('identity_mail_requests')
    .set((request) => ({ due_at: heldUntil, attempts: request('attempts', '+', 1) }))
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
        purpose: purposeOf(row.purpose),
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

/** Keeps the code that is in a mail, sealed. @returns whether the mail is still wanted. */
export async function storeSealedCode(db: Db, requestId: number, code: Buffer): Promise<boolean> {
  const kept = await db
    .updateTable('identity_mail_requests')
    .set({ code })
    .where('request_id', '=', requestId)
    .returning('request_id')
    .executeTakeFirst()
  return kept !== undefined
}

export async function putOffMail(db: Db, requestId: number, until: Date): Promise<void> {
  await db
    .updateTable('identity_mail_requests')
    .set({ due_at: until })
    .where('request_id', '=', requestId)
    .execute()
}

export async function deleteMailRequest(db: Db, requestId: number): Promise<void> {
  await db.deleteFrom('identity_mail_requests').where('request_id', '=', requestId).execute()
}
