import { afterQuiet } from '#domain/notifications/mail-time.ts'
import { MAIL_ATTEMPTS_MAX, mailRetryDelayMs, trySend } from '#base/mail/try-send.ts'
import { deleteEvent, type DigestEvent, postponeEvent, setDigestStage } from '../outbox/events.ts'
import { findMailAddress } from '../users/mail-address.ts'
import { digestMail } from './digest-mail.ts'
import { mailMode } from './mail-mode.ts'
import type { NotifierDeps } from './deps.ts'
import { findTimeZone } from './notify-user.ts'
import { findSettings } from './settings-store.ts'
import { listForDigest } from './store.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

/**
 * Sends what has gathered for a user. Marked before it is handed over, and then never sent again by itself: after a crash in between
 * nobody knows whether it went out, and the list in the app has all of it.
 */
export async function sendDigest(deps: NotifierDeps, mail: DigestEvent): Promise<void> {
  const { db, log } = deps
  const about = { mail: mail.eventId, attempts: mail.attempts }
  if (mail.stage === 'handed_over') {
    log.warn(about, 'mail not sent again: the server stopped while it was handed over')
    return deleteEvent(db, mail)
  }
  const recipient = await findRecipient(deps, mail.userId)
  if (recipient === null) return deleteEvent(db, mail)
  const now = deps.now()
  const quietUntil = afterQuiet(now, recipient)
  if (quietUntil > now) return postponeEvent(db, mail, quietUntil)
  // From here on what is found waits for the next mail.
  if (!(await setDigestStage(db, mail, 'closed'))) return undefined
  const items = (await listForDigest(db, mail.eventId)).filter(({ kind }) => recipient.kinds[kind].mail)
  if (items.length === 0) return deleteEvent(db, mail)
  const content = digestMail(items, {
    publicUrl: deps.config.publicUrl,
    unsubscribeUrl: unsubscribeUrl(deps, mail.userId),
  })
  if (!(await setDigestStage(db, mail, 'handed_over'))) return undefined
  const result = await trySend(deps.mail, {
    ...content,
    to: recipient.email,
    key: mail.eventId,
    at: mail.createdAt,
  })
  switch (result.kind) {
    case 'taken':
      return deleteEvent(db, mail)
    case 'refused':
      log.warn({ ...about, status: result.status }, 'mail dropped: the mail server rejected it')
      return deleteEvent(db, mail)
    case 'not_taken':
      return retryLater(deps, mail, result.fields)
  }
}

async function retryLater(deps: NotifierDeps, mail: DigestEvent, fields: object): Promise<void> {
  const about = { mail: mail.eventId, attempts: mail.attempts, ...fields }
  if (mail.attempts >= MAIL_ATTEMPTS_MAX) {
    deps.log.warn(about, 'mail dropped: no mail server accepted it within a day')
    return deleteEvent(deps.db, mail)
  }
  deps.log.warn(about, 'mail not sent; it is retried later')
  if (!(await setDigestStage(deps.db, mail, 'closed'))) return undefined
  return postponeEvent(deps.db, mail, deps.now() + mailRetryDelayMs(mail.attempts))
}

/** Where and how the user wants mail now; null: they want none, have not confirmed their address, or this server sends none. */
async function findRecipient(deps: NotifierDeps, userId: number) {
  const { db, config } = deps
  const address = await findMailAddress(deps, userId)
  const { kinds, digest, quiet_hours: quiet } = await findSettings(db, userId)
  if (address === null || !address.isConfirmed || digest === 'never' || mailMode(config) === 'off')
    return null
  return { email: address.email, kinds, quiet, timeZone: await findTimeZone(db, userId) }
}
