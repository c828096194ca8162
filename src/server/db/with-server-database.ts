import { existsSync } from 'node:fs'
import path from 'node:path'
import { StartError } from '#base/start-error.ts'
import type { Config } from '../runtime/config.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

/**
 * For commands: the database of a server that may run. The embedded one is started for it where it does not.
 * @param run gets the database's URL @throws StartError where there is none
 */
export async function withServerDatabase(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  say: (line: string) => void,
  run: (url: string) => Promise<void>,
): Promise<void> {
  if (databaseUrl !== null) return run(databaseUrl)
  const dir = path.join(dataDir, 'postgres')
  if (!existsSync(dir)) throw new StartError(`There is no database in ${dataDir} yet: run npm start once.`)
  const running = await findEmbeddedPostgres(dir)
  if (running !== null) return run(running)
  const own = await startEmbeddedPostgres({ dir, say })
  try {
    await run(own.url)
  } finally {
    await own.stop()
  }
}
