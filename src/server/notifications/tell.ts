import type { Composed } from '#domain/notifications/compose.ts'
import { mailTime } from '#domain/notifications/mail-time.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notifyNotifications } from '../db/bus.ts'
import { gatherInMail } from '../outbox/store.ts'
import type { NotifierDeps } from './notifier.ts'
import { mailOf } from './mail-of.ts'
import { findSettings } from './settings-store.ts'
import { type About, findFacts, replaceNotification } from './store.ts'

/** Part of a transaction: tells a user of a post or an account as they wish to be told, unless they know it all. */
export async function tell(
  trx: Db,
  deps: Pick<NotifierDeps, 'config' | 'now'>,
  it: { readonly userId: number; readonly about: About; readonly subject: string; readonly told: Composed },
): Promise<void> {
  const { userId, about, subject, told } = it
  const known = await findFacts(trx, about)
  if (told.facts.every((fact) => known.includes(fact))) return
  const now = deps.now()
  const { kinds, digest, quiet_hours: quiet } = await findSettings(trx, userId)
  const wanted = kinds[told.kind]
  let mailId: string | null = null
  if (wanted.mail && digest !== 'never' && mailOf(deps.config) !== 'off') {
    const timeZone = await zoneOf(trx, userId)
    mailId = await gatherInMail(trx, { userId, at: mailTime(now, { digest, quiet, timeZone }), now })
  }
  if (mailId === null && !wanted.in_app) return
  await replaceNotification(trx, {
    userId,
    about,
    subject,
    told,
    inApp: wanted.in_app,
    mailId,
    at: new Date(now),
  })
  if (wanted.in_app) await notifyNotifications(trx, userId)
}

export async function zoneOf(db: Db, userId: number): Promise<string> {
  const { timezone } = await db
    .selectFrom('users')
    .select('timezone')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return knownZone(timezone)
}
