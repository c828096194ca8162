import { MAIN_API } from '#contract/api/main-api.ts'
import type { DeliveryChange } from '#contract/deliveries.ts'
import { openEvents } from './api.ts'
import { jsonOf } from '#web/lib/json-of.ts'

/** One change of a delivery, as the event stream sends it. */
export type DeliveryUpdate = DeliveryChange

/** `live`: every change arrives. `reconnecting`: the shown data may be stale. */
export type ConnectionState = 'connecting' | 'live' | 'reconnecting'

type Listener = {
  onUpdate: (news: DeliveryUpdate) => void
  onNotifications: () => void
  onConnection: (link: ConnectionState) => void
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** The server sends something every 20 s; a connection silent for longer is dead. */
const SILENCE_MS = 50_000

/** Follows the user's deliveries until the signal aborts, and reconnects after every loss. */
export async function followDeliveries(listener: Listener, signal: AbortSignal): Promise<void> {
  let lastEventId: string | null = null
  let failures = 0
  while (!signal.aborted) {
    const attempt = watched(signal)
    try {
      const stream = await openEvents({ lastEventId, signal: attempt.signal })
      listener.onConnection('live')
      failures = 0
      for await (const frame of frames(stream, attempt.heard)) {
        lastEventId = frame.id ?? lastEventId
        // Skip frames that a proxy cut off; the lists are authoritative.
        const news = MAIN_API.streamEvents.reply.safeParse(jsonOf(frame.data))
        if (!news.success) continue
        if ('delivery' in news.data) listener.onUpdate(news.data)
        else listener.onNotifications()
      }
    } catch {
      // Any error is handled by reconnecting below.
    } finally {
      attempt.end()
    }
    if (signal.aborted) return
    listener.onConnection('reconnecting')
    await pause(waitBefore(failures), signal)
    failures += 1
  }
}

/** Exponential back-off up to 30 s, with jitter so that browsers do not all reconnect at once. */
const waitBefore = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2)

export type Frame = { readonly id: string | null; readonly data: string }

/** Parses server-sent events (WHATWG HTML, 9.2.6); only the fields that our server uses. */
export async function* frames(
  stream: ReadableStream<Uint8Array>,
  heard: () => void = () => undefined,
): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ''
  let id: string | null = null
  let data: string[] = []
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard()
      const lines = (rest + decoder.decode(part.value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? []
        if (name === 'id') id = value
        if (name === 'data') data.push(value)
        if (line !== '') continue
        if (data.length > 0) yield { id, data: data.join('\n') }
        id = null
        data = []
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined) // a stream that broke has nothing left to cancel
  }
}

/** A signal that also aborts after too long a silence. */
function watched(outer: AbortSignal) {
  const controller = new AbortController()
  const stop = () => controller.abort()
  outer.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(stop, SILENCE_MS)
  return {
    signal: controller.signal,
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(stop, SILENCE_MS)
    },
    end: () => {
      clearTimeout(timer)
      outer.removeEventListener('abort', stop)
      stop()
    },
  }
}

/** Waits; ends early when the browser is back online. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      window.removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    window.addEventListener('online', done)
  })
}
