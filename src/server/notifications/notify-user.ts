import type { NotificationContent } from '#domain/notifications/compose.ts'
import { mailTime } from '#domain/notifications/mail-time.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notifyNotifications } from '../db/bus.ts'
import { addToDigest } from '../outbox/enqueue.ts'
import type { NotifierDeps } from './deps.ts'
import { mailMode } from './mail-mode.ts'
import { findSettings } from './settings-store.ts'
import { type About, findNotifiedFacts, replaceNotification } from './store.ts'

/** Part of a transaction: notifies a user as their settings say, unless they were notified of all these facts. */
export async function notifyUser(
  trx: Db,
  deps: Pick<NotifierDeps, 'config' | 'now'>,
  it: {
    readonly userId: number
    readonly about: About
    readonly subject: string
    readonly content: NotificationContent
  },
): Promise<void> {
  const { userId, about, subject, content } = it
  const known = await findNotifiedFacts(trx, about)
  if (content.facts.every((fact) => known.includes(fact))) return
  const now = deps.now()
  const { kinds, digest, quiet_hours: quiet } = await findSettings(trx, userId)
  const wanted = kinds[content.kind]
  let mailId: string | null = null
  if (wanted.mail && digest !== 'never' && mailMode(deps.config) !== 'off') {
    const timeZone = await findTimeZone(trx, userId)
    mailId = await addToDigest(trx, { userId, at: mailTime(now, { digest, quiet, timeZone }), now })
  }
  if (mailId === null && !wanted.in_app) return
  await replaceNotification(trx, {
    userId,
    about,
    subject,
    content,
    inApp: wanted.in_app,
    mailId,
    at: new Date(now),
  })
  if (wanted.in_app) await notifyNotifications(trx, userId)
}

export async function findTimeZone(db: Db, userId: number): Promise<string> {
  const { timezone } = await db
    .selectFrom('users')
    .select('timezone')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return knownZone(timezone)
}
