import { WEBHOOK_ANSWER_MAX_BYTES, WEBHOOK_RETRY_DAYS } from '#contract/limits.ts'
import type { WebhookFailure } from '#contract/webhooks.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { createPublicClient, type PublicClient, readBeginning } from '#base/public-fetch.ts'
import { type ClaimLoopDeps, startClaimLoop } from '../lease/claim-loop.ts'
import { enqueueWebhookCheck } from '../outbox/outbox.ts'
import type { Config } from '../runtime/config.ts'
import {
  claimMessages,
  type MessageClaim,
  nextMessageAt,
  releaseMessage,
  saveDelivered,
  saveFailed,
  stopWaiting,
  TEST,
} from './messages.ts'
import { signMessage } from './sign.ts'
import { switchOff } from './store.ts'

export type SenderDeps = ClaimLoopDeps & {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly config: Pick<Config, 'privateAddresses'>
  /** A test stops the process at named points. */
  readonly crashPoint: (name: string) => Promise<void>
}

/** Calls in progress: they only wait, so that many slow receivers leave room for the others. */
const AT_A_TIME = 256
const EACH = { proven: 10, doubtful: 1 }
/** From the connection to the end of the answer. */
const ANSWER_MS = 15_000

/**
 * Sends messages that are due until it is stopped, each at least once.
 * @param settings.leaseMs longer than an attempt takes: then the message is due again
 */
export function startWebhookSender(
  deps: SenderDeps,
  { pollMs, leaseMs }: { readonly pollMs: number; readonly leaseMs: number },
): { stop(): Promise<void> } {
  const { db, log, now } = deps
  const client = createPublicClient({ allowPrivate: deps.config.privateAddresses })
  const loop = startClaimLoop<MessageClaim>(deps, {
    what: 'webhook messages',
    pollMs,
    async *claim(running) {
      const jobs = running()
      const limit = AT_A_TIME - jobs.length
      yield* await claimMessages(db, { now: now(), leaseMs, limit, each: EACH, running: jobs })
    },
    work: (claim, stopping) =>
      sendMessage(deps, client, claim, stopping).catch((error: unknown) => {
        const about = { err: error, webhook: claim.webhookId, message: claim.messageId }
        log.error(about, `webhook message ${claim.messageId} failed: claimed again once its lease ends`)
      }),
    nextAt: () => nextMessageAt(db, now()),
  })
  return {
    async stop() {
      await loop.stop()
      client.close()
    },
  }
}

type Outcome = {
  readonly status: number | null
  readonly answer: string | null
  /** null: it was delivered. */
  readonly failure: WebhookFailure | null
}

async function sendMessage(
  deps: SenderDeps,
  client: PublicClient,
  claim: MessageClaim,
  stopping: AbortSignal,
): Promise<void> {
  const { db, now } = deps
  await deps.crashPoint('before webhook call')
  const outcome = await callReceiver(deps, client, claim, stopping)
  await deps.crashPoint('after webhook call')
  const at = new Date(now())
  const { failure, ...answered } = outcome
  if (failure === null) return saveDelivered(db, claim, { ...answered, at })
  if (stopping.aborted) return releaseMessage(db, claim, now())
  const next = claim.type === TEST ? null : nextAttemptAt(claim.triedSince.getTime(), now())
  await saveFailed(db, claim, { ...answered, at, failure, next })
  await deps.crashPoint('after webhook save')
  if (next === null && claim.type !== TEST) await endAfterFailures(deps, claim)
}

async function callReceiver(
  { encrypter, now }: SenderDeps,
  client: PublicClient,
  { eventId, body, address, secret, oldSecret }: MessageClaim,
  stopping: AbortSignal,
): Promise<Outcome> {
  if (!encrypter.hasKeyOf(secret)) return { status: null, answer: null, failure: 'secret_lost' }
  const secrets = [secret, ...(oldSecret ? [oldSecret] : [])]
    .filter((one) => encrypter.hasKeyOf(one))
    .map((one) => encrypter.decrypt(one))
  const answer = await client.open({
    url: new URL(address),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Reelay-Webhooks',
      ...signMessage({ eventId, body }, secrets, now()),
    },
    body,
    signal: AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]),
  })
  if (answer.kind === 'none') return { status: null, answer: null, failure: answer.why }
  const { statusCode: status = 0 } = answer.response
  // The status decides: an answer that hangs or breaks off after it was taken all the same.
  const beginning = await readBeginning(answer.response, WEBHOOK_ANSWER_MAX_BYTES)
  return { status, answer: toStorableText(beginning), failure: toFailure(status) }
}

function toFailure(status: number): WebhookFailure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirected' : 'refused'
}

/** PostgreSQL's text has no zero bytes. */
const toStorableText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD')

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1000, 60_000, 3_600_000]
const WAITS_MS = [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS]
const LAST_WAIT_MS = 10 * HOUR_MS
const RETRIED_MS = WEBHOOK_RETRY_DAYS * 24 * HOUR_MS

/**
 * When a message that is tried since then is tried again: after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h and then every 10 h, the last time
 * after 3 days. Attempts that were due while nothing could be sent are left out. Times are epoch ms.
 * @returns null: no more
 */
export function nextAttemptAt(triedSince: number, now: number): number | null {
  const end = triedSince + RETRIED_MS
  if (now >= end) return null
  let at = triedSince
  for (let nth = 0; at <= now; nth += 1) at += WAITS_MS[nth] ?? LAST_WAIT_MS
  return Math.min(at, end)
}

/** The last attempt of a message has failed: its webhook is switched off if nothing was delivered since it was first tried. */
async function endAfterFailures(deps: SenderDeps, { webhookId, triedSince }: MessageClaim): Promise<void> {
  const { db, log, now } = deps
  const off = await db.transaction().execute(async (trx) => {
    const found = await switchOff(trx, { webhookId, since: triedSince, now: now() })
    if (found !== null) await enqueueWebhookCheck(trx, { userId: found.userId, webhookId, now: now() })
    return found
  })
  if (off === null) return
  log.warn({ webhook: webhookId }, 'webhook switched off: nothing was delivered for three days')
  while (await stopWaiting(db, { webhookId }, 'off'));
}
