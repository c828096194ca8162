import type { FastifyBaseLogger } from 'fastify'
import { createWakeSignal } from '#base/wake-signal.ts'
import type { Mail, Mailer } from '#base/mail/mail.ts'
import { MAIL_LEASE_MS, mailRetryDelayMs, trySend } from '#base/mail/try-send.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import type { Core } from '../core/core.ts'
import { buildLink, storeCode, lockCodeOwner } from '../core/links.ts'
import { SESSION_IDLE_MS } from '../core/sessions.ts'
import { escapeHtml } from '#base/escape-html.ts'
import { button, mailHtml, paragraph } from '#base/mail/mail-html.ts'
import { COPY, TEXTS } from './texts.ts'
import { findCode } from '../store/codes.ts'
import { claimMailRequest, deleteMailRequest, storeMailCode, postponeMail } from '../store/mails.ts'
import type { MailRequest, NewMail } from '../store/mails.ts'
import { deleteExpired } from '../store/delete-expired.ts'

export type MailOutboxDeps = Pick<Core, 'db' | 'encrypter' | 'admit' | 'publicUrl' | 'apiKey' | 'now'> & {
  readonly mail: Mailer
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export type MailOutbox = {
  /** Two servers of one process share the loop: a second call does nothing. */
  start(): void
  wake(): void
  stop(): Promise<void>
}

/** Finds requests that other processes left behind; own requests wake the outbox. */
const POLL_INTERVAL_MS = 15_000
const CLEANUP_INTERVAL_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
const MAX_MAIL_AGE_MS = DAY_MS

/** Sends requested mails, at least once. After a crash the repeated mail has the same code and Message-ID. */
export function createMailOutbox(deps: MailOutboxDeps): MailOutbox {
  const stopping = new AbortController()
  const signal = createWakeSignal()
  let running: Promise<void> | null = null
  let cleanedAt = Number.NEGATIVE_INFINITY

  const poll = async () => {
    if (Date.now() - cleanedAt > CLEANUP_INTERVAL_MS) {
      cleanedAt = Date.now()
      await deleteOldRows(deps)
    }
    while ((await sendNext(deps)) && !stopping.signal.aborted) continue
  }

  const run = async () => {
    do {
      await poll().catch((error: unknown) => {
        deps.log.error({ err: error }, 'mail outbox failed; it retries within 15 seconds')
      })
      await signal.wait(POLL_INTERVAL_MS)
    } while (!stopping.signal.aborted)
  }

  return {
    wake: signal.notify,
    start() {
      running ??= run()
    },
    async stop() {
      stopping.abort()
      signal.notify()
      await running
    },
  }
}

async function sendNext(deps: MailOutboxDeps): Promise<boolean> {
  const now = deps.now()
  const request = await claimMailRequest(deps.db, new Date(now), new Date(now + MAIL_LEASE_MS))
  if (!request) return false
  const { requestId, attempts, purpose } = request
  // Neither recipient nor content may be logged.
  const logFields = { requestId, attempts, purpose }
  if (now - request.requestedAt.getTime() > MAX_MAIL_AGE_MS) {
    deps.log.warn(logFields, 'mail dropped: no mail server accepted it within a day')
    await deleteMailRequest(deps.db, requestId)
    return true
  }
  const code = await prepareCode(deps, request)
  if (code === null) {
    await deleteMailRequest(deps.db, requestId)
    return true
  }
  const mail = codeMail(request, buildLink(deps, request, code))
  const result = await trySend(deps.mail, { ...mail, key: request.mailKey, at: request.requestedAt })
  switch (result.kind) {
    case 'taken':
      await deleteMailRequest(deps.db, requestId)
      return true
    case 'refused':
      deps.log.warn({ ...logFields, status: result.status }, 'mail dropped: the mail server rejected it')
      await deleteMailRequest(deps.db, requestId)
      return true
    case 'not_taken': {
      // Later mails must not wait for this one.
      deps.log.warn({ ...logFields, ...result.fields }, 'mail not sent; it is retried later')
      await postponeMail(deps.db, requestId, new Date(deps.now() + mailRetryDelayMs(attempts)))
      return true
    }
  }
}

/**
 * The code for a mail: created at the first attempt and reused later, unless it expired while the mail waited.
 * `null` when no user may get it, or when it was used or revoked since.
 */
const prepareCode = (deps: MailOutboxDeps, request: MailRequest): Promise<string | null> =>
  deps.db.transaction().execute(async (trx) => {
    const owner = await lockCodeOwner(trx, deps, request)
    if (!owner) return null
    const now = deps.now()
    const stored = request.code === null ? null : decryptCode(deps, request.code)
    if (stored !== null) {
      const code = await findCode(trx, secretHash(stored))
      if (!code) return null
      if (code.expiresAt.getTime() > now) return stored
    }
    const code = newSecret()
    // The request is gone when the user changed password or address since the claim.
    if (!(await storeMailCode(trx, request.requestId, deps.encrypter.encrypt(code)))) return null
    await storeCode(trx, code, owner, request, now)
    return code
  })

/** `null` when the encrypting secret is no longer configured; a new code replaces it then. */
function decryptCode({ encrypter }: MailOutboxDeps, code: Buffer): string | null {
  try {
    return encrypter.decrypt(code)
  } catch {
    return null
  }
}

const KNOWN_ADDRESS_MS = 90 * DAY_MS

/** Codes stay for a day after expiry, so that links report "expired" rather than "unknown". */
const deleteOldRows = ({ db, now }: MailOutboxDeps): Promise<void> =>
  deleteExpired(db, {
    codes: new Date(now() - DAY_MS),
    knownAddresses: new Date(now() - KNOWN_ADDRESS_MS),
    sessions: new Date(now() - SESSION_IDLE_MS),
    throttle: new Date(Date.now() - 3_600_000),
  })

function codeMail(mail: NewMail, link: string): Pick<Mail, 'to' | 'subject' | 'text' | 'html'> {
  const words = TEXTS[mail.purpose]
  const to = mail.newEmail ?? mail.email
  const lead = words.lead({ from: mail.email, to })
  return {
    to,
    subject: words.subject,
    text: `${[lead, words.link, link, words.notYou].join('\n\n')}\n`,
    html: mailHtml([
      paragraph(lead),
      paragraph(words.link),
      button(words.button, link),
      paragraph(COPY),
      `<p style="word-break:break-all">${escapeHtml(link)}</p>`,
      paragraph(words.notYou),
    ]),
  }
}
