import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { systemCode } from '#base/system-error.ts'
import { NotStored } from './storage.ts'

const KEY = /^[0-9a-f]{32}$/

export const newKey = (): string => randomBytes(16).toString('hex')

export const isKey = (name: string): boolean => KEY.test(name)

/** @throws NotStored for an invalid key, which could be a path out of the folder */
export function storagePath(folder: string, key: string): string {
  if (!KEY.test(key)) throw new NotStored(key)
  return path.join(folder, key)
}

export async function statStored(folder: string, key: string): Promise<{ size: number } | null> {
  if (!KEY.test(key)) return null
  return stat(path.join(folder, key)).then(
    ({ size }) => ({ size }),
    (error: unknown) => {
      if (isMissingError(error)) return null
      throw error
    },
  )
}

export async function openStored(folder: string, key: string, flags: 'r' | 'r+' = 'r'): Promise<FileHandle> {
  return open(storagePath(folder, key), flags).catch((error: unknown) => {
    throw isMissingError(error) ? new NotStored(key, { cause: error }) : error
  })
}

/** A rename or a new file is durable only once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const isMissingError = (error: unknown) => systemCode(error) === 'ENOENT'
