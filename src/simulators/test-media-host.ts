import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type MediaHost = { readonly url: string; disconnect(): void; close(): void }

/** For tests: a server that practice platforms send requests to, such as the one on which Reelay offers a video. */
export async function startMediaHost(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<MediaHost> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    disconnect: () => server.closeAllConnections(),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
