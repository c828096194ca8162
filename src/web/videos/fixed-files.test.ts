import { beforeEach, expect, test, vi } from 'vitest'
import { clearDrafts } from '#web/lib/form-drafts.ts'
import { createFixedFile, removeAbandonedFiles } from './fixed-files.ts'

/** The browser's folder and locks. `meanwhile` runs once one of them was read, `onOpen` while a file is opened. */
function offerDisk() {
  const files = new Set<string>()
  const locks = new Set<string>()
  const disk = { files, locks, meanwhile: () => {}, onOpen: () => {}, aborted: [] as unknown[] }
  vi.stubGlobal(
    'FileSystemFileHandle',
    class {
      createWritable(): void {}
    },
  )
  const stream = {
    write: async () => {},
    close: async () => {},
    abort: async (reason?: unknown) => void disk.aborted.push(reason),
  }
  const folder = {
    getDirectoryHandle: async () => folder,
    getFileHandle: async (name: string) => {
      files.add(name)
      return {
        createWritable: async () => {
          disk.onOpen()
          return stream
        },
      }
    },
    removeEntry: async (name: string) => void files.delete(name),
    async *keys() {
      yield* files
      disk.meanwhile()
    },
  }
  vi.stubGlobal('navigator', {
    storage: { getDirectory: async () => folder },
    locks: {
      request: async (name: string, hold: () => Promise<void>) => {
        locks.add(name)
        await hold()
        locks.delete(name)
      },
      query: async () => {
        const held = [...locks].map((name) => ({ name }))
        disk.meanwhile()
        return { held }
      },
    },
  })
  return disk
}

let disk: ReturnType<typeof offerDisk>
beforeEach(() => {
  disk = offerDisk()
})

test('a fixed file stays when its user logs in again, and is deleted at the log-out', async () => {
  await createFixedFile()
  clearDrafts('ada')
  await new Promise(setImmediate)
  expect(disk.files.size).toBe(1)
  clearDrafts(null)
  await vi.waitFor(() => expect([disk.files.size, disk.locks.size]).toEqual([0, 0]))
})

test('abandoned files are deleted, but none that another tab begins meanwhile', async () => {
  disk.files.add('abandoned')
  disk.meanwhile = () => {
    disk.locks.add('fixed videos new')
    disk.files.add('new')
  }
  await removeAbandonedFiles()
  expect([...disk.files]).toEqual(['new'])
})

test('a file that cannot be opened leaves nothing behind', async () => {
  disk.onOpen = () => {
    throw new Error('no room')
  }
  await expect(createFixedFile()).rejects.toThrow('no room')
  expect([disk.files.size, disk.locks.size]).toEqual([0, 0])
})

test('a stream that is aborted ends the file on the disk', async () => {
  const file = await createFixedFile()
  await file?.writable.abort('cancelled')
  expect(disk.aborted).toEqual(['cancelled'])
})
