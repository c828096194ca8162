import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import type { PlatformName } from './faults.ts'
import { send } from './send.ts'
import type { SettingsStore } from './settings.ts'
import { CannotWrite, type Store } from './store.ts'

export interface Webhook {
  id: string
  platform: PlatformName
  /** The platform's own name of the event, if it has one. */
  event: string
  account: string
  path: string
  body: string
  state: 'waiting' | 'delivered' | 'given_up'
  created_at: number
  due_at: number
  tries: number
  /** Copies that are still sent after it was accepted: at least once may mean more than once. */
  copies: number
  status: number | null
  answer: string | null
}

export interface Outbox {
  add(webhook: Pick<Webhook, 'platform' | 'event' | 'account' | 'path' | 'body'>): void
  all(): Webhook[]
  has(id: string): boolean
  put(webhook: Webhook): void
}

/** Finished webhooks are kept for inspection, up to this many. */
const kept = 1000

export function openOutbox(store: Store, clock: Clock, settings: SettingsStore): Outbox {
  const table = store.table<Webhook>('outbox')
  return {
    add: (webhook) => {
      const { hooks, hooks_delay_ms: delay, hooks_copies: copies } = settings.get()
      if (hooks === 'off') return
      const id = String(Number(table.ids().at(-1) ?? 0) + 1)
      const now = clock.now()
      const fresh = {
        state: 'waiting',
        created_at: now,
        due_at: now + delay,
        tries: 0,
        status: null,
      } as const
      table.put(id, { id, ...webhook, ...fresh, copies, answer: null })
      const old = table.get(String(Number(id) - kept))
      if (old !== undefined && old.state !== 'waiting') table.delete(old.id)
    },
    all: () => table.all(),
    has: (id) => table.get(id) !== undefined,
    put: (webhook) => table.put(webhook.id, webhook),
  }
}

export interface WebhookFormat {
  /** Computed at every sending, because a signature may contain the time. */
  headers(webhook: Webhook, now: number): Record<string, string>
  /** The answer is the one that the platform expects. */
  isAccepted(webhook: Webhook, status: number, answer: string): boolean
}

export interface SenderOptions {
  outbox: Outbox
  clock: Clock
  settings: SettingsStore
  appUrl: string
  /** Platforms without webhooks have none. */
  formats: Partial<Record<PlatformName, WebhookFormat>>
  /** Makes the platforms enqueue their new webhooks. */
  announce: () => void
}

const roundMs = 100
const fullDiskMs = 1000
const answerTimeoutMs = 5000
const firstRetryMs = 1000
const longestRetryMs = 3_600_000
/** "retried with exponential backoff up to 72 h" */
const givenUpAfterMs = 72 * 3_600_000

/** Sends due webhooks until it is stopped. An absent app is retried less and less often and then given up silently. */
export function startSending(options: SenderOptions): { stop(): Promise<void> } {
  const closing = new AbortController()
  let round: Promise<void> | null = null
  const timer = setInterval(() => {
    round ??= sendDue(options, closing.signal)
      .catch((error: unknown) => {
        // A full disk may get room again; until then other calls answer with an error.
        if (error instanceof CannotWrite) return wait(fullDiskMs, undefined, { signal: closing.signal })
        clearInterval(timer)
        process.emitWarning(error instanceof Error ? error : String(error))
        return undefined
      })
      .catch(() => undefined)
      .finally(() => (round = null))
  }, roundMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      closing.abort()
      await round
    },
  }
}

async function sendDue(options: SenderOptions, closing: AbortSignal): Promise<void> {
  const { outbox, clock, settings, announce } = options
  announce()
  const now = clock.now()
  const due = outbox.all().filter((webhook) => webhook.state === 'waiting' && webhook.due_at <= now)
  if (settings.get().hooks_order === 'reversed') due.reverse()
  for (const webhook of due) {
    if (closing.aborted) return
    // oxlint-disable-next-line no-await-in-loop -- the order is the point
    const answered = await post(options, webhook, closing)
    // A webhook interrupted by our own stop is sent again after the next start.
    if (!closing.aborted && outbox.has(webhook.id)) outbox.put(afterTry(options, webhook, answered))
  }
}

function formatOf({ formats }: SenderOptions, { platform }: Webhook): WebhookFormat {
  const format = formats[platform]
  if (format === undefined) throw new Error(`${platform} has no webhooks`)
  return format
}

type AppAnswer = { status: number; text: string } | null

async function post(options: SenderOptions, webhook: Webhook, closing: AbortSignal): Promise<AppAnswer> {
  const webhookFormat = formatOf(options, webhook)
  try {
    const { status, body } = await send(new URL(`${options.appUrl}${webhook.path}`), {
      method: 'POST',
      headers: webhookFormat.headers(webhook, options.clock.now()),
      body: webhook.body,
      signal: AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)]),
    })
    return { status, text: (await text(body)).slice(0, 2000) }
  } catch {
    // Unreachable or too slow: retry.
    return null
  }
}

function afterTry(options: SenderOptions, webhook: Webhook, answered: AppAnswer): Webhook {
  const now = options.clock.now()
  const tried = {
    ...webhook,
    tries: webhook.tries + 1,
    status: answered?.status ?? null,
    answer: answered?.text ?? null,
  }
  const isAccepted =
    answered !== null && formatOf(options, webhook).isAccepted(webhook, answered.status, answered.text)
  if (isAccepted && webhook.copies > 0) return { ...tried, copies: webhook.copies - 1, due_at: now }
  if (isAccepted) return { ...tried, state: 'delivered' }
  if (now - webhook.created_at >= givenUpAfterMs) return { ...tried, state: 'given_up' }
  return { ...tried, due_at: now + Math.min(firstRetryMs * 2 ** Math.min(webhook.tries, 20), longestRetryMs) }
}
