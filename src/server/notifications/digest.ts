import type { Logger } from 'pino'
import { LINKED_PAGES, notificationPath } from '#contract/http/addresses.ts'
import type { Notification, NotificationSettingsView } from '#contract/notifications.ts'
import { afterQuiet } from '#domain/notifications/mail-time.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { escapeHtml } from '#base/escape-html.ts'
import { button, mailHtml, paragraph } from '#base/mail/mail-html.ts'
import type { Mail, Mailer } from '#base/mail/mail.ts'
import { MAIL_ATTEMPTS_MAX, mailRetryDelayMs, trySend } from '#base/mail/try-send.ts'
import type { Identity } from '#identity/identity.ts'
import { deleteEvent, type DigestEvent, postponeEvent, setDigestStage } from '../outbox/outbox.ts'
import type { Config } from '../runtime/config.ts'
import { findMailAddress } from '../users/mail-address.ts'
import { findMailClock, findSettings, listForDigest, recordMail } from './store.ts'
import { makeUnsubscribeUrl } from './unsubscribe.ts'

export type DigestDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly identity: Pick<Identity, 'publicSettings'>
  readonly mail: Mailer
  readonly now: () => number
  readonly log: Logger
  readonly config: Pick<Config, 'publicUrl' | 'smtpUrl' | 'practice'>
}

/**
 * Sends a user's collected notifications. The mail is marked before it is handed over and never sent again: after a crash
 * in between its fate is unknown, and the app lists everything.
 */
export async function sendDigest(deps: DigestDeps, mail: DigestEvent): Promise<void> {
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
  // New notifications join the next mail from here on.
  if (!(await setDigestStage(db, mail, 'closed'))) return undefined
  const items = (await listForDigest(db, mail.eventId)).filter(({ kind }) => recipient.kinds[kind].mail)
  if (items.length === 0) return deleteEvent(db, mail)
  const content = digestMail(items, {
    publicUrl: deps.config.publicUrl,
    unsubscribeUrl: makeUnsubscribeUrl(deps, mail.userId),
  })
  if (!(await setDigestStage(db, mail, 'handed_over'))) return undefined
  await recordMail(db, mail.userId, now)
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

async function retryLater(deps: DigestDeps, mail: DigestEvent, fields: object): Promise<void> {
  const about = { mail: mail.eventId, attempts: mail.attempts, ...fields }
  if (mail.attempts >= MAIL_ATTEMPTS_MAX) {
    deps.log.warn(about, 'mail dropped: no mail server accepted it within a day')
    return deleteEvent(deps.db, mail)
  }
  deps.log.warn(about, 'mail not sent; it is retried later')
  if (!(await setDigestStage(deps.db, mail, 'closed'))) return undefined
  return postponeEvent(deps.db, mail, deps.now() + mailRetryDelayMs(mail.attempts))
}

/** Null: the user wants no mail or has not confirmed their address, or this server sends none. */
async function findRecipient(deps: DigestDeps, userId: number) {
  const { db, config } = deps
  const address = await findMailAddress(deps, userId)
  const { kinds, digest, quiet_hours: quiet } = await findSettings(db, userId)
  if (address === null || !address.isConfirmed || digest === 'never' || mailMode(config) === 'off')
    return null
  const { timeZone } = await findMailClock(db, userId)
  return { email: address.email, kinds, quiet, timeZone }
}

/** Without a mail server, active practice platforms show the mails. */
export const mailMode = (config: Pick<Config, 'smtpUrl' | 'practice'>): NotificationSettingsView['mail'] => {
  if (config.smtpUrl !== null) return 'sent'
  return config.practice.on ? 'practice' : 'off'
}

/** Further notifications are only counted: the app lists all of them. */
const LISTED_MAX = 50

const SETTINGS = 'Change your notification settings:'
const UNSUBSCRIBE = 'Stop all of these emails:'
const MORE = 'See all of them in Reelay:'

function digestMail(
  items: readonly Notification[],
  { publicUrl, unsubscribeUrl }: { readonly publicUrl: string; readonly unsubscribeUrl: string },
): Pick<Mail, 'subject' | 'text' | 'html' | 'unsubscribeUrl'> {
  const listed = items.slice(0, LISTED_MAX)
  const left = items.length - listed.length
  const lead = items.length === 1 ? null : subjectFor(items)
  const queue = `${publicUrl}${LINKED_PAGES.queue}`
  const settings = `${publicUrl}${LINKED_PAGES.settings}`
  const formatLink = (item: Notification) => `${publicUrl}${notificationPath(item)}`
  return {
    subject: subjectFor(items),
    unsubscribeUrl,
    text: `${[
      ...(lead === null ? [] : [`${lead}.`]),
      ...listed.map((item) => `${formatHeading(item)}\n${item.message}\n${formatLink(item)}`),
      ...(left > 0 ? [`And ${left} more. ${MORE}\n${queue}`] : []),
      `${SETTINGS}\n${settings}`,
      `${UNSUBSCRIBE}\n${unsubscribeUrl}`,
    ].join('\n\n')}\n`,
    html: mailHtml([
      ...(lead === null ? [] : [paragraph(`${lead}.`)]),
      ...listed.flatMap((item) => [
        `<p><strong>${escapeHtml(formatHeading(item))}</strong><br>${escapeHtml(item.message).replaceAll('\n', '<br>')}</p>`,
        items.length === 1
          ? button(wordFor(item), formatLink(item))
          : `<p><a href="${escapeHtml(formatLink(item))}">${wordFor(item)}</a></p>`,
      ]),
      ...(left > 0
        ? [`<p>And ${left} more. <a href="${escapeHtml(queue)}">${MORE.replace(':', '')}</a></p>`]
        : []),
      `<p style="color:#55626A;font-size:13px"><a href="${escapeHtml(settings)}">${SETTINGS.replace(':', '')}</a> · <a href="${escapeHtml(unsubscribeUrl)}">${UNSUBSCRIBE.replace(':', '')}</a></p>`,
    ]),
  }
}

function wordFor(item: Notification): string {
  if (item.post_id !== null) return 'Open the post'
  return item.webhook_id === null ? 'Open accounts' : 'Open the settings'
}

/** An account's title names it; those of others do not. */
const formatHeading = (item: Notification): string =>
  item.account_id === null ? `${item.title}: ${item.subject}` : item.title

/** A single notification is named; several of one kind name the kind. */
function subjectFor(items: readonly Notification[]): string {
  const [first] = items
  if (first && items.length === 1) return formatHeading(first)
  const isOne = (kind: Notification['kind']) => items.every((item) => item.kind === kind)
  if (isOne('missed')) return `${items.length} posts missed their time`
  if (isOne('restored')) return `${items.length} posts are held after a restore`
  if (isOne('failed')) return `${items.length} posts failed`
  if (items.every((item) => item.post_id !== null)) return `${items.length} posts need your attention`
  if (items.every((item) => item.account_id !== null)) return `${items.length} accounts need your attention`
  if (items.some((item) => item.webhook_id !== null)) return `${items.length} things need your attention`
  return `${items.length} posts and accounts need your attention`
}
