import { z } from 'zod'
import { DeliveryChange } from '#contract/deliveries.ts'
import { jsonOf } from '#web/lib/json-of.ts'

type Body = Readonly<Record<string, unknown>>
type Answer = (body: Body) => Response | Promise<Response>

const answers = new Map<string, Answer>()
const made = new Map<string, Body[]>()
/** The page's event stream: open and silent unless a test says otherwise. */
let events: () => Response | Promise<Response> = openStream
const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()

const json = (body: unknown, status = 200) => Response.json(body, { status })
const refusal = (message: string) => json({ error: { code: 400, message } }, 400)
const networkError = (): never => {
  throw new TypeError('Failed to fetch')
}

/** The identity provider of a component test, which the Firebase SDK asks by `fetch`: calls such as `accounts:lookup`. */
export const identityProvider = {
  reply: (call: string, body: object | ((sent: Body) => object)): void =>
    void answers.set(call, (sent) => json(typeof body === 'function' ? body(sent) : body)),
  /** Refuses in the words of its protocol. */
  refuse: (call: string, message: string): void => void answers.set(call, () => refusal(message)),
  disconnect: (call: string): void => void answers.set(call, networkError),
  /** Delays the answer that is set now until the returned function is called. */
  hold(call: string): () => void {
    const answer = answers.get(call)
    const released = Promise.withResolvers<void>()
    answers.set(call, async (body) => {
      await released.promise
      return answer?.(body) ?? json({}, 501)
    })
    return released.resolve
  },
  calls: (call: string): readonly Body[] => made.get(call) ?? [],
  reset(): void {
    answers.clear()
    made.clear()
    events = openStream
    streams.clear()
  },
}

export const eventStream = {
  /** Tells the page of a change. */
  send(change: z.input<typeof DeliveryChange>): void {
    const frame = new TextEncoder().encode(`data: ${JSON.stringify(DeliveryChange.parse(change))}\n\n`)
    for (const stream of streams) stream.enqueue(frame)
  },
  disconnect: (): void => void (events = networkError),
  reconnect: (): void => void (events = openStream),
}

function openStream(): Response {
  let stream: ReadableStreamDefaultController<Uint8Array>
  return new Response(
    new ReadableStream<Uint8Array>({
      start: (opened) => void streams.add((stream = opened)),
      cancel: () => void streams.delete(stream),
    }),
  )
}

const bodyOf = z.record(z.string(), z.unknown()).catch({})

async function answerFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input, location.href)
  if (pathname.endsWith('/events')) return events()
  const call = pathname.slice(pathname.lastIndexOf('/') + 1)
  const text = typeof init?.body === 'string' ? init.body : ''
  const body = bodyOf.parse(jsonOf(text) ?? Object.fromEntries(new URLSearchParams(text)))
  made.set(call, [...(made.get(call) ?? []), body])
  const answer = answers.get(call)
  return answer ? answer(body) : refusal('UNKNOWN_CALL')
}

// Once for all: the SDK keeps the `fetch` that it finds when it is loaded.
globalThis.fetch = answerFetch
