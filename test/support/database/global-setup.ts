import { makeCluster } from './cluster.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { startTestDatabases } from './test-database.ts'

type SharedDatabases = { users: number; readonly started: Promise<() => Promise<void>> }
// Each Vitest project loads this file anew, in one process.
const store = globalThis as { reelayTestDatabases?: SharedDatabases }

/** The first project of a Vitest run starts the databases, the last one stops them. */
export default async function setUp(): Promise<() => Promise<void>> {
  const shared = (store.reelayTestDatabases ??= { users: 0, started: start() })
  shared.users += 1
  const stop = await shared.started
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    delete store.reelayTestDatabases
    await stop()
  }
}

async function start(): Promise<() => Promise<void>> {
  const removeFolder = await makeTemporaryFolder()
  const removeCluster = await makeCluster()
  const stopDatabases = await startTestDatabases()
  return async () => {
    await stopDatabases()
    await removeCluster()
    await removeFolder()
  }
}
