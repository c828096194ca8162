import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'

// An `import` of the module would load its `WebSocket` and other exports, and with them `fetch`'s client.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

export interface Outgoing {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Longest time without a byte in either direction, also in the answer's body. */
  idleMs?: number
  signal?: AbortSignal
}

export interface Incoming {
  status: number
  headers: IncomingMessage['headers']
  /** The caller reads it to its end or destroys it. It throws when it is cut off or idle for `idleMs`. */
  body: IncomingMessage
}

/**
 * Sends one request; redirects are returned like other answers. Uses `node:http`, which also serves here: `fetch` would
 * load a second HTTP client. @throws when no answer begins
 */
export async function send(address: URL, { body, idleMs = 0, ...options }: Outgoing): Promise<Incoming> {
  const { request } = address.protocol === 'https:' ? https : http
  // 0: no time-out. Without it the agent's 5 s apply.
  const outgoing = request(address, { ...options, timeout: idleMs })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    let begun: IncomingMessage | undefined
    outgoing.on('response', (incoming) => resolve((begun = incoming)))
    outgoing.on('timeout', () => (begun ?? outgoing).destroy(new Error('timed out')))
    // A connection that breaks later ends the body; without a listener it would end the process.
    outgoing.on('error', (error) => (begun ? begun.destroy(error) : reject(error)))
    outgoing.end(body)
  })
  return { status: response.statusCode ?? 0, headers: response.headers, body: response }
}

export const isOk = ({ status }: Incoming): boolean => status >= 200 && status < 300

/** The target of a redirect; null: it is none. */
export const redirectTarget = ({ status, headers }: Incoming, address: URL): URL | null =>
  status >= 300 && status < 400 && headers.location !== undefined ? new URL(headers.location, address) : null

/**
 * Writes the body into a file until it ends or is too long. @returns `sha256`: null when it was too long @throws when the
 * body breaks off, or the file cannot be written
 */
export async function saveBody(
  { body }: Incoming,
  path: string,
  isTooLong: (bytes: number) => boolean = () => false,
): Promise<{ sha256: string | null; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const file = await open(path, 'w', 0o600)
    try {
      const parts: AsyncIterable<Uint8Array> = body
      for await (const part of parts) {
        bytes += part.length
        if (isTooLong(bytes)) return { sha256: null, bytes }
        hash.update(part)
        await file.write(part)
      }
    } finally {
      await file.close()
    }
    return { sha256: hash.digest('hex'), bytes }
  } finally {
    body.destroy()
  }
}
