import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startS3, type TestS3 } from '#test/support/s3-server.ts'
import { copyFiles } from './copy-files.ts'
import { openStorage } from './open-storage.ts'
import { openS3 } from './s3.ts'
import { storageSuite } from './storage-suite.ts'

let s3: TestS3
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(() => s3.stop())

let prefixes = 0
function make() {
  const prefix = `test ${(prefixes += 1)}/`
  const config = { ...s3.config, prefix }
  return { prefix, storage: openS3(config), again: () => openS3(config), everything: () => s3.list(prefix) }
}

storageSuite('s3', () => Promise.resolve(make()))

const MB = 1_000_000

describe('a file that comes in parts', () => {
  it('is whole whatever their sizes, also when other processes go on with it', async () => {
    const { storage, again, everything } = make()
    const bytes = randomBytes(18 * MB)
    const key = await storage.parts.begin()
    let offset = 0
    for (const length of [1, 9 * MB, 0, 8_388_608, 100]) {
      const part = bytes.subarray(offset, offset + length)
      offset = await again().parts.append(key, Readable.from([part]), { offset, maxBytes: bytes.length })
      expect(await storage.parts.size(key)).toBe(offset)
    }
    await storage.parts.append(key, Readable.from([bytes.subarray(offset)]), {
      offset,
      maxBytes: bytes.length,
    })
    const stored = await again().parts.complete(key)
    const { sha256 } = await storage.put(Readable.from([bytes]), { maxBytes: bytes.length })
    expect(stored).toEqual({ key, size: bytes.length, sha256 })
    expect(bytes.equals(await buffer(await storage.read(key, 0, bytes.length - 1)))).toBe(true)
    await storage.delete(key)
    expect(await everything()).toHaveLength(1)
  })

  it('is stored again only by as much as comes, however little that is', async () => {
    const { storage, everything } = make()
    const bytes = randomBytes(3 * MB)
    const key = await storage.parts.begin()
    const append = (from: number, to: number) =>
      storage.parts.append(key, Readable.from([bytes.subarray(from, to)]), { offset: from, maxBytes: MB * 3 })
    const start = bytes.length - 20
    await append(0, start)
    const long = await everything()
    for (let at = start; at < bytes.length; at += 1) await append(at, at + 1)
    const now = await everything()
    expect(now).toEqual(expect.arrayContaining(long))
    expect(now.length).toBeLessThan(10)
    const { sha256 } = await storage.put(Readable.from([bytes]), { maxBytes: bytes.length })
    expect(await storage.parts.complete(key)).toMatchObject({ size: bytes.length, sha256 })
    expect(bytes.equals(await buffer(await storage.read(key, 0, bytes.length - 1)))).toBe(true)
  })

  it('is completed once more where an answer was lost on the way', async () => {
    const { storage, again } = make()
    const key = await storage.parts.begin()
    await storage.parts.append(key, Readable.from([Buffer.alloc(9 * MB)]), { offset: 0, maxBytes: 9 * MB })
    const [one, other] = await Promise.all([storage.parts.complete(key), again().parts.complete(key)])
    expect(other).toEqual(one)
  })

  it.each([10, 9 * MB])(
    'of %i bytes stays whole where a kill left its record after the end',
    async (size) => {
      const { storage, again, prefix } = make()
      const key = await storage.parts.begin()
      await storage.parts.append(key, Readable.from([Buffer.alloc(size, 'x')]), { offset: 0, maxBytes: size })
      const record = { Bucket: s3.config.bucket, Key: `${prefix}partial/${key}` }
      const { Body: body } = await s3.client.send(new GetObjectCommand(record))
      const left = (await body?.transformToByteArray()) ?? ''
      const stored = await storage.parts.complete(key)
      await s3.client.send(new PutObjectCommand({ ...record, Body: left }))
      expect(await again().parts.complete(key)).toEqual(stored)
      expect(await storage.stat(key)).toEqual({ size })
    },
  )
})

it('sweeps what a killed process left of an unfinished file, once it is old', async () => {
  const { storage, everything } = make()
  const key = await storage.parts.begin()
  await storage.parts.append(key, Readable.from([Buffer.alloc(10)]), { offset: 0, maxBytes: 10 })
  const before = await everything()
  await storage.sweep()
  expect(await everything()).toEqual(before)
})

it('copies an empty file', async () => {
  const [from, to] = [make(), make()]
  const { key } = await from.storage.put(Readable.from([]), { maxBytes: 1 })
  expect(await copyFiles(from.storage, to.storage)).toMatchObject({ copied: 1 })
  expect(await to.storage.stat(key)).toEqual({ size: 0 })
})

describe('a storage that does not answer', () => {
  it('is unavailable, which callers try again', async () => {
    const away = await startS3()
    const storage = openS3({ ...away.config, prefix: '' })
    const key = await storage.parts.begin()
    await away.stop()
    const unavailable: unknown = expect.objectContaining({ code: 'unavailable' })
    await expect(storage.parts.size(key)).rejects.toEqual(unavailable)
    await expect(storage.put(Readable.from([Buffer.alloc(10)]), { maxBytes: 10 })).rejects.toEqual(
      unavailable,
    )
  })

  it('does not keep the server from its start, but one that refuses does', async () => {
    const away = { ...s3.config, prefix: '', endpoint: 'http://127.0.0.1:9' }
    await expect(openStorage(away)).resolves.toHaveProperty('probe')
    await expect(openStorage({ ...s3.config, prefix: '', bucket: 'nowhere' })).rejects.toThrow(
      /^The bucket nowhere can't be written: /,
    )
  })
})
