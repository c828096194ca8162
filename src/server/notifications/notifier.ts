import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { DB } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { Mailer } from '#base/mail/mail.ts'
import { MAIL_ATTEMPTS_MAX, MAIL_CLAIM_MS, mailRetryDelayMs } from '#base/mail/try-send.ts'
import type { Bus } from '../db/bus.ts'
import { repeatRounds } from '../lease/repeat-rounds.ts'
import { claimEvent, endEvent, nextEventAt, type OutboxEvent, postponeEvent } from '../outbox/store.ts'
import type { Config } from '../runtime/config.ts'
import { lookAtAccount } from './look-at-account.ts'
import { lookAtPost } from './look-at-post.ts'
import { sendMail } from './send-mail.ts'

export type NotifierDeps = {
  readonly db: Kysely<DB>
  readonly encrypter: Encrypter
  readonly mail: Mailer
  readonly now: () => number
  readonly log: Logger
  readonly config: Pick<Config, 'publicUrl' | 'smtpUrl' | 'practice'>
}

/** Works off the outbox until it is stopped: looks at what was in trouble, tells users, and sends their mails. */
export function startNotifier(
  deps: NotifierDeps & { readonly bus: Pick<Bus, 'onWake'> },
  { pollMs }: { readonly pollMs: number },
): { stop(): Promise<void> } {
  return repeatRounds(deps, {
    what: 'notifications',
    pollMs,
    now: deps.now,
    claim: () => workOnNext(deps),
    nextAt: () => nextEventAt(deps.db, deps.now()),
  })
}

/** @returns how many were due: one or none */
export async function workOnNext(deps: NotifierDeps): Promise<number> {
  const event = await claimEvent(deps.db, { now: deps.now(), leaseMs: MAIL_CLAIM_MS })
  if (event === null) return 0
  await workOn(deps, event).catch((error: unknown) => {
    const about = { err: error, event: event.eventId, kind: event.kind }
    if (event.attempts >= MAIL_ATTEMPTS_MAX) {
      deps.log.error(about, 'a notification was dropped: it failed for a day')
      return endEvent(deps.db, event)
    }
    deps.log.error(about, 'a notification failed; it is tried again')
    return postponeEvent(deps.db, event, deps.now() + mailRetryDelayMs(event.attempts))
  })
  return 1
}

function workOn(deps: NotifierDeps, event: OutboxEvent): Promise<void> {
  switch (event.kind) {
    case 'post':
      return lookAtPost(deps, event)
    case 'account':
      return lookAtAccount(deps, event)
    case 'mail':
      return sendMail(deps, event)
  }
}
