import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type MediaHost = { readonly url: string; disconnect(): void; close(): void }

/** Practice platforms send requests to this server, for example to fetch a video from Reelay. */
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
