import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { createBell } from '#base/wake-signal.ts'
import type { Mailer } from '#base/mail/mail.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import type { Core } from '../core/core.ts'
import { linkWith, storeCode, ownerOf } from '../core/links.ts'
import { SESSION_IDLE_MS } from '../core/sessions.ts'
import { codeMail } from './code-mail.ts'
import { findCode } from '../store/codes.ts'
import { claimMailRequest, deleteMailRequest, storeSealedCode, putOffMail } from '../store/mails.ts'
import type { MailRequest } from '../store/mails.ts'
import { sweep } from '../store/sweep.ts'

export type MailOutboxDeps = Pick<Core, 'db' | 'sealer' | 'rules' | 'publicUrl' | 'apiKey' | 'now'> & {
  readonly mail: Mailer
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export type MailOutbox = {
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
/** Seconds until a mail is tried again that was not taken; the last one counts for all that follow. */
const AGAIN_AFTER_S = [60, 60, 120, 300, 600, 1800, 3600]
const DAY_MS = 24 * 3_600_000
/** A mail server that is down for longer is not waited for: whoever asked will have asked again. */
const GIVE_UP_AFTER_MS = DAY_MS

/**
 * Sends the mails that were requested. None is lost by a crash: between sending and noting it, a crash makes it go out again,
 * and then it is the same mail, with the same code and the same name for whoever takes it.
 */
export function createMailOutbox(deps: MailOutboxDeps): MailOutbox {
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
async function sendNext(deps: MailOutboxDeps): Promise<boolean> {
  const now = deps.now()
  const request = await claimMailRequest(deps.db, new Date(now), new Date(now + HOLD_MS))
  if (!request) return false
  const { requestId, attempts, purpose } = request
  // What a log may say of a mail: neither to whom it goes nor what is in it.
  const about = { requestId, attempts, purpose }
  if (now - request.requestedAt.getTime() > GIVE_UP_AFTER_MS) {
    deps.log.warn(about, 'a mail was given up: no mail server has taken it for a day')
    await deleteMailRequest(deps.db, requestId)
    return true
  }
  const code = await codeFor(deps, request)
  if (code === null) {
    await deleteMailRequest(deps.db, requestId)
    return true
  }
  const mail = codeMail(request, linkWith(deps, request, code))
  const handed = await deps.mail.send({ ...mail, key: request.mailKey, at: request.requestedAt }).then(
    (answer) => answer,
    (error: unknown) => ({ kind: 'not_taken', error }) as const,
  )
  switch (handed.kind) {
    case 'taken':
      await deleteMailRequest(deps.db, requestId)
      return true
    case 'refused':
      deps.log.warn({ ...about, status: handed.status }, 'a mail was refused for good and is given up')
      await deleteMailRequest(deps.db, requestId)
      return true
    case 'not_taken': {
      // It must not hold up the next one.
      deps.log.warn({ ...about, ...reasonOf(handed.error) }, 'a mail was not taken and is tried again')
      await putOffMail(deps.db, requestId, new Date(deps.now() + againAfterMs(attempts)))
      return true
    }
  }
}

const againAfterMs = (attempts: number): number => (AGAIN_AFTER_S[attempts - 1] ?? 3600) * 1000

/** Such as ECONNREFUSED, or EAUTH and 535. Not the error as a whole: the library hangs the address on it. */
const Reason = z.object({ code: z.string().optional(), responseCode: z.number().optional() }).catch({})
const reasonOf = (error: unknown) => Reason.parse(error)

/**
 * The code of a mail: at the first attempt a new one, later the same, so that a mail that arrives twice is one mail. One that
 * ran out while the mail waited is made anew. `null`: nobody is to have it, because there is no such user, or because it was
 * used or made void since.
 */
const codeFor = (deps: MailOutboxDeps, request: MailRequest): Promise<string | null> =>
  deps.db.transaction().execute(async (trx) => {
    const owner = await ownerOf(trx, deps, request)
    if (!owner) return null
    const now = deps.now()
    const kept = request.code === null ? null : opened(deps, request.code)
    if (kept !== null) {
      const code = await findCode(trx, secretHash(kept))
      if (!code) return null
      if (code.expiresAt.getTime() > now) return kept
    }
    const code = newSecret()
    // Gone where the user has changed password or address since it was claimed.
    if (!(await storeSealedCode(trx, request.requestId, deps.sealer.seal(code)))) return null
    await storeCode(trx, code, owner, request, now)
    return code
  })

/** The secret that sealed it may be gone; the sealer knows no other way to say so. A new code does as well. */
function opened({ sealer }: MailOutboxDeps, code: Buffer): string | null {
  try {
    return sealer.open(code)
  } catch {
    return null
  }
}

/** An address from which an account has not logged in for so long is like any other. */
const KNOWN_ADDRESS_MS = 90 * DAY_MS

/** Codes stay for a day after they ran out, so that their owners hear "expired" rather than "unknown". */
const sweepOld = ({ db, now }: MailOutboxDeps): Promise<void> =>
  sweep(db, {
    codes: new Date(now() - DAY_MS),
    knownAddresses: new Date(now() - KNOWN_ADDRESS_MS),
    sessions: new Date(now() - SESSION_IDLE_MS),
    throttle: new Date(Date.now() - 3_600_000),
  })
