import type { FastifyInstance } from 'fastify'
import { buildApp } from '#server/app.ts'
import type { Deps } from '#server/deps.ts'
import { startTestDatabases } from '../../support/database/test-database.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { startTestServer, type TestServer } from '../../support/test-server.ts'

export type IsolatedServer = {
  /** Stays the same, whatever is served. */
  readonly url: string
  readonly server: TestServer
  /** Ends what was served there before. */
  serve(deps: Deps): Promise<void>
  stop(): Promise<void>
}

/** A Reelay for tests of how a server is set up, which the one that all others share cannot be changed for. */
export async function startIsolatedServer(): Promise<IsolatedServer> {
  const stopDatabases = await startTestDatabases()
  const [server, port] = [await startTestServer(), await freePort()]
  let app: FastifyInstance | null = null
  return {
    url: `http://localhost:${port}`,
    server,
    async serve(deps) {
      await app?.close()
      app = await buildApp(deps)
      await app.listen({ port, host: '127.0.0.1' })
    },
    async stop() {
      await app?.close()
      await server.stop()
      await stopDatabases()
    },
  }
}
