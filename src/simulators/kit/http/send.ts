import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

// An `import` would ask the module for everything it exports, of which Node makes `WebSocket` and others by loading `fetch`'s client.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

export interface Outgoing {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Longest time without a byte either way, in the answer's body too. */
  idleMs?: number
  signal?: AbortSignal
}

export interface Incoming {
  status: number
  headers: IncomingMessage['headers']
  /** Is read to its end or destroyed by the caller. Throws where it is cut off, or stands still for `idleMs`. */
  body: IncomingMessage
}

/**
 * Sends one request; redirects are answers like any other. By `node:http`, which also serves here: `fetch` would load a second HTTP
 * client, for more memory than all posts and calls of these platforms take.
 * @throws when no answer begins
 */
export async function send(address: URL, { body, idleMs, ...options }: Outgoing): Promise<Incoming> {
  const { request } = address.protocol === 'https:' ? https : http
  const outgoing = request(address, { ...options, ...(idleMs !== undefined && { timeout: idleMs }) })
  let response: IncomingMessage | undefined
  outgoing.on('timeout', () => (response ?? outgoing).destroy(new Error('timed out')))
  outgoing.end(body)
  const [begun] = (await once(outgoing, 'response')) as [IncomingMessage] // as documented
  response = begun
  // Of a connection that breaks from now on: nobody else would listen.
  outgoing.on('error', (error) => begun.destroy(error))
  return { status: begun.statusCode ?? 0, headers: begun.headers, body: begun }
}

export const isOk = ({ status }: Incoming): boolean => status >= 200 && status < 300
