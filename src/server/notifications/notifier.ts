import { MAIL_ATTEMPTS_MAX, MAIL_LEASE_MS, mailRetryDelayMs } from '#base/mail/try-send.ts'
import type { Bus } from '../db/bus.ts'
import { repeatRounds } from '../lease/repeat-rounds.ts'
import { claimEvent, deleteEvent, nextEventAt, type OutboxEvent, postponeEvent } from '../outbox/events.ts'
import type { NotifierDeps } from './deps.ts'
import { notifyAboutAccount } from './notify-about-account.ts'
import { notifyAboutPost } from './notify-about-post.ts'
import { sendDigest } from './send-digest.ts'

/** What is due here has waited for a quarter of an hour or more, yet each change of a post wakes it. */
const IDLE_APART_MS = 1000

/** Processes the outbox until it is stopped: checks posts and accounts, notifies users and sends digests. */
export function startNotifier(
  deps: NotifierDeps & { readonly bus: Pick<Bus, 'onWake'> },
  { pollMs }: { readonly pollMs: number },
): { stop(): Promise<void> } {
  return repeatRounds(deps, {
    what: 'notifications',
    pollMs,
    idleApartMs: IDLE_APART_MS,
    now: deps.now,
    claim: () => processNextEvent(deps),
    nextAt: () => nextEventAt(deps.db, deps.now()),
  })
}

/** @returns how many were due: one or none */
export async function processNextEvent(deps: NotifierDeps): Promise<number> {
  const event = await claimEvent(deps.db, { now: deps.now(), leaseMs: MAIL_LEASE_MS })
  if (event === null) return 0
  await processEvent(deps, event).catch((error: unknown) => {
    const about = { err: error, event: event.eventId, kind: event.kind }
    if (event.attempts >= MAIL_ATTEMPTS_MAX) {
      deps.log.error(about, 'a notification was dropped: it failed for a day')
      return deleteEvent(deps.db, event)
    }
    deps.log.error(about, 'a notification failed; it is tried again')
    return postponeEvent(deps.db, event, deps.now() + mailRetryDelayMs(event.attempts))
  })
  return 1
}

function processEvent(deps: NotifierDeps, event: OutboxEvent): Promise<void> {
  switch (event.kind) {
    case 'post':
      return notifyAboutPost(deps, event)
    case 'account':
      return notifyAboutAccount(deps, event)
    case 'mail':
      return sendDigest(deps, event)
  }
}
