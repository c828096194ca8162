import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { WebhookBody } from '#contract/webhooks.ts'

export type ReceivedCall = {
  readonly headers: IncomingMessage['headers']
  readonly raw: string
  readonly body: WebhookBody
}

export type Receiver = {
  readonly url: string
  /** Every call in the order in which it arrived. */
  readonly calls: ReceivedCall[]
  /** How it answers from now on. */
  answer(how: (response: ServerResponse, call: ReceivedCall) => void): void
  /** @throws unless this secret signed the call, as the package of Standard Webhooks checks it */
  verify(call: ReceivedCall, secret: string): void
  stop(): Promise<void>
}

const answerNoContent: Parameters<Receiver['answer']>[0] = (response) => response.writeHead(204).end()

/** A receiver of webhooks on this machine. At first it answers 204. */
export async function startReceiver(): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  let answer = answerNoContent
  const server = createServer((request, response) => {
    void text(request).then((raw) => {
      const body = WebhookBody.parse(JSON.parse(raw))
      const call = { headers: request.headers, raw, body }
      calls.push(call)
      answer(response, call)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens at a port
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    answer(how) {
      answer = how
    },
    verify(call, secret) {
      const headers = Object.fromEntries(
        Object.entries(call.headers).map(([name, value]) => [name, String(value)]),
      )
      new Webhook(secret).verify(call.raw, headers)
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
