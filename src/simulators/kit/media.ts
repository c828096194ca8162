import { mkdirSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of uploaded videos. A complete one is named by its SHA-256, so equal videos share one file. */
export interface MediaFolder {
  incoming(name: string): string
  video(sha256: string): string
  /** Completes an incoming file; does nothing if it is complete or deleted. */
  finish(name: string, sha256: string): Promise<void>
  discard(name: string): Promise<void>
  clear(): void
}

export function openMediaFolder(dir: string): MediaFolder {
  const incoming = (name: string): string => join(dir, 'incoming', name)
  const video = (sha256: string): string => join(dir, 'videos', sha256)
  const make = (): void => {
    for (const folder of ['incoming', 'videos'])
      mkdirSync(join(dir, folder), { recursive: true, mode: 0o700 })
  }
  make()
  return {
    incoming,
    video,
    finish: async (name, sha256) => {
      try {
        await rename(incoming(name), video(sha256))
      } catch (error) {
        // It may be completed or deleted by another call at any moment.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      }
    },
    discard: (name) => rm(incoming(name), { force: true }),
    clear: () => {
      for (const folder of ['incoming', 'videos']) rmSync(join(dir, folder), { recursive: true, force: true })
      make()
    },
  }
}
