import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
export type Scripted = {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: string
}

export type ScriptedServer = {
  readonly url: string
  readonly requests: ReceivedRequest[]
  close(): Promise<void>
}

export async function scriptedServer(answers: Record<string, readonly Scripted[]>): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = []
  const left = new Map(Object.entries(answers).map(([path, list]) => [path, [...list]]))
  return listening(requests, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const url = request.url ?? ''
      const { method = '', headers } = request
      requests.push({ method, url, headers, body: Buffer.concat(parts).toString() })
      const answer = left.get(url.split('?')[0] ?? '')?.shift()
      response.writeHead(answer?.status ?? (answer === undefined ? 599 : 200), answer?.headers)
      response.end(answer?.body ?? 'not in the script')
    })
  })
}

export async function listening(
  requests: ReceivedRequest[],
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ScriptedServer> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
