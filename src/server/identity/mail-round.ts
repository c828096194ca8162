import type { FastifyBaseLogger } from 'fastify'
import { createBell } from '../bell.ts'
import type { Db } from '../db/open.ts'
import type { Mailer } from '../mail/mail.ts'
import { newSecret, secretHash } from '../secret.ts'
import { RESET_CODE_TTL_MS } from './core/reset.ts'
import { SESSION_IDLE_MS } from './core/sessions.ts'
import { actionUrl, resetMail } from './reset-mail.ts'
import { insertCode } from './store/codes.ts'
import { claimMailRequest, deleteMailRequest } from './store/mails.ts'
import { sweep } from './store/sweep.ts'
import { findByEmail } from './store/users.ts'

export type MailRoundDeps = {
  readonly db: Db
  readonly mail: Mailer
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  readonly now: () => number
  readonly publicUrl: string
  readonly apiKey: string
}

export type MailRound = {
  start(): void
  /** Something was requested in this process: do not wait for the next look. */
  wake(): void
  /** Resolves when the mail under way is out. */
  stop(): Promise<void>
}

/** For what another process left behind; one's own requests wake it. */
const LOOK_EVERY_MS = 15_000
const SWEEP_EVERY_MS = 3_600_000
/** Longer than a mail server may take: until then nobody else tries the same mail. */
const HOLD_MS = 60_000
/** A mail that could not be sent within it is of no use any more. */
const GIVE_UP_AFTER_MS = 3_600_000
const DAY_MS = 24 * 3_600_000

/**
 * Sends the mails that were requested, each at least once: a crash between sending and noting it sends another, with
 * another code, and both work.
 */
export function createMailRound(deps: MailRoundDeps): MailRound {
  const stopping = new AbortController()
  const bell = createBell()
  let running = Promise.resolve()
  let sweptAt = Number.NEGATIVE_INFINITY

  const look = async () => {
    if (Date.now() - sweptAt > SWEEP_EVERY_MS) {
      sweptAt = Date.now()
      await sweepOld(deps)
    }
    while ((await sendNext(deps)) && !stopping.signal.aborted) continue
  }

  const run = async () => {
    do {
      await look().catch((error: unknown) => {
        deps.log.error({ err: error }, 'mails wait: the next look is in some seconds')
      })
      await bell.wait(LOOK_EVERY_MS)
    } while (!stopping.signal.aborted)
  }

  return {
    wake: bell.ring,
    start() {
      running = run()
    },
    async stop() {
      stopping.abort()
      bell.ring()
      await running
    },
  }
}

/** @returns whether there was one. */
async function sendNext(deps: MailRoundDeps): Promise<boolean> {
  const now = deps.now()
  const request = await claimMailRequest(deps.db, new Date(now), new Date(now + HOLD_MS))
  if (!request) return false
  if (now - request.requested_at.getTime() > GIVE_UP_AFTER_MS) {
    deps.log.warn({ requestId: request.request_id, attempts: request.attempts }, 'a mail was given up')
    await deleteMailRequest(deps.db, request.request_id)
    return true
  }
  const user = await findByEmail(deps.db, request.email)
  if (user && !user.disabled) {
    const mail = resetMail(request.email, await makeResetLink(deps, { uid: user.uid, email: request.email }))
    // A mail that is not taken must not hold up the next one; it is tried again when it is due again.
    const failure = await deps.mail.send(mail).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (failure) {
      deps.log.warn({ err: failure.error, requestId: request.request_id }, 'a mail was not taken')
      return true
    }
  }
  await deleteMailRequest(deps.db, request.request_id)
  return true
}

async function makeResetLink(
  deps: MailRoundDeps,
  { uid, email }: { uid: string; email: string },
): Promise<string> {
  const code = newSecret()
  await insertCode(deps.db, {
    codeHash: secretHash(code),
    purpose: 'password_reset',
    uid,
    email,
    expires_at: new Date(deps.now() + RESET_CODE_TTL_MS),
  })
  return actionUrl(deps.publicUrl, { mode: 'resetPassword', code, apiKey: deps.apiKey })
}

/** Codes stay for a day after they ran out, so that their owners hear "expired" rather than "unknown". */
const sweepOld = ({ db, now }: MailRoundDeps): Promise<void> =>
  sweep(db, {
    codes: new Date(now() - DAY_MS),
    credentials: new Date(now() - DAY_MS),
    sessions: new Date(now() - SESSION_IDLE_MS),
    throttle: new Date(Date.now() - 3_600_000),
  })
