import { Problem } from '#base/problem.ts'
import { StartError } from '#base/start-error.ts'
import { openDisk } from './disk.ts'
import type { S3Config } from './bucket.ts'
import type { Storage } from './storage.ts'

export type StorageConfig = { readonly dir: string } | S3Config

/**
 * A folder, or a bucket of an S3 server, whose client is loaded only then.
 * @throws StartError for a bucket that refuses us; one that does not answer now is waited for
 */
export async function openStorage(config: StorageConfig): Promise<Storage> {
  if ('dir' in config) return openDisk(config.dir)
  const { openS3 } = await import('./s3.ts')
  const storage = openS3(config)
  await storage.probe().catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'unavailable') return
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(`The bucket ${config.bucket} can't be written: ${reason}`, {
      cause: error,
    })
  })
  return storage
}
