import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { NotStored, TooLarge } from './storage.ts'
import type { Storage } from './storage.ts'

export type StorageUnderTest = {
  readonly storage: Storage
  readonly everything: () => Promise<string[]>
}

export function storageSuite(name: string, make: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    it('returns what was stored, with its size and hash', async () => {
      const { storage } = await make()
      const bytes = randomBytes(3_000_000)
      const stored = await storage.put(inPieces(bytes, 70_000), { maxBytes: 3_000_000 })
      expect(stored.size).toBe(bytes.length)
      expect(stored.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(await storage.stat(stored.key)).toEqual({ size: bytes.length })
      expect(bytes.equals(await buffer(await storage.read(stored.key, 0, bytes.length - 1)))).toBe(true)
    })

    it('reads ranges with both ends included', async () => {
      const { storage } = await make()
      const { key } = await storage.put(Readable.from([Buffer.from('0123456789')]), { maxBytes: 10 })
      expect(String(await buffer(await storage.read(key, 0, 1)))).toBe('01')
      expect(String(await buffer(await storage.read(key, 3, 6)))).toBe('3456')
      expect(String(await buffer(await storage.read(key, 9, 9)))).toBe('9')
    })

    it('stores an empty file', async () => {
      const { storage } = await make()
      const stored = await storage.put(Readable.from([]), { maxBytes: 10 })
      expect(stored.size).toBe(0)
      expect(await storage.stat(stored.key)).toEqual({ size: 0 })
    })

    it('refuses a file over the limit before its end and stores nothing', async () => {
      const { storage, everything } = await make()
      let sent = 0
      const endless = Readable.from(
        (function* () {
          for (;;) {
            sent += 65_536
            yield Buffer.alloc(65_536)
          }
        })(),
      )
      await expect(storage.put(endless, { maxBytes: 1_000_000 })).rejects.toThrow(TooLarge)
      expect(sent).toBeLessThan(20_000_000)
      expect(endless.destroyed).toBe(true)
      expect(await everything()).toEqual([])
    })

    it('stores nothing of a stream that fails', async () => {
      const { storage, everything } = await make()
      const broken = Readable.from(
        (async function* () {
          yield Buffer.alloc(2_000_000)
          throw new Error('connection lost')
        })(),
      )
      await expect(storage.put(broken, { maxBytes: 10_000_000 })).rejects.toThrow('connection lost')
      expect(await everything()).toEqual([])
    })

    it('stores nothing of an aborted put', async () => {
      const { storage, everything } = await make()
      const stop = new AbortController()
      const stalled = new Readable({ read() {} })
      stalled.push(Buffer.alloc(100_000))
      const put = storage.put(stalled, { maxBytes: 1_000_000, signal: stop.signal })
      const refused = expect(put).rejects.toThrow(/abort/i)
      await expect.poll(everything).not.toEqual([])
      stop.abort()
      await refused
      expect(await everything()).toEqual([])
    })

    it('a file is not visible until it is complete', async () => {
      const { storage, everything } = await make()
      const slow = new Readable({ read() {} })
      slow.push(Buffer.alloc(100_000))
      const put = storage.put(slow, { maxBytes: 1_000_000 })
      await expect.poll(everything).not.toEqual([])
      for (const written of await everything()) expect(await storage.stat(written)).toBeNull()
      slow.push(null)
      const { key } = await put
      expect(await storage.stat(key)).toEqual({ size: 100_000 })
    })

    it('deletes idempotently while running readers finish', async () => {
      const { storage, everything } = await make()
      const bytes = randomBytes(5_000_000)
      const { key } = await storage.put(inPieces(bytes, 1_000_000), { maxBytes: 5_000_000 })
      const reader = await storage.read(key, 0, bytes.length - 1)
      await storage.delete(key)
      await storage.delete(key)
      expect(bytes.equals(await buffer(reader))).toBe(true)
      expect(await storage.stat(key)).toBeNull()
      await expect(storage.read(key, 0, 1)).rejects.toThrow(NotStored)
      expect(await everything()).toEqual([])
    })

    it('takes a file in parts that survive a broken stream', async () => {
      const { storage } = await make()
      const bytes = randomBytes(3_000_000)
      const key = await storage.parts.begin()
      const at = (offset: number) => ({ offset, maxBytes: bytes.length })
      expect(await storage.parts.size(key)).toBe(0)
      expect(await storage.parts.append(key, inPieces(bytes.subarray(0, 1_000_000), 70_000), at(0))).toBe(
        1_000_000,
      )
      const broken = Readable.from(
        (async function* () {
          yield bytes.subarray(1_000_000, 1_500_000)
          // Longer than a disk takes: a stream that fails while its bytes are still in memory loses them.
          await setTimeout(200)
          throw new Error('connection lost')
        })(),
      )
      await expect(storage.parts.append(key, broken, at(1_000_000))).rejects.toThrow('connection lost')
      expect(await storage.parts.size(key)).toBe(1_500_000)
      expect(await storage.stat(key)).toBeNull()
      await storage.parts.append(key, inPieces(bytes.subarray(1_500_000), 70_000), at(1_500_000))
      const stored = await storage.parts.complete(key)
      expect(stored).toEqual({
        key,
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })
      expect(await storage.parts.complete(key)).toEqual(stored)
      expect(await storage.parts.size(key)).toBe(bytes.length)
      expect(bytes.equals(await buffer(await storage.read(key, 0, bytes.length - 1)))).toBe(true)
    })

    it('refuses a part over the limit and one that starts elsewhere', async () => {
      const { storage } = await make()
      const key = await storage.parts.begin()
      await expect(storage.parts.append(key, hundredBytes(), { offset: 0, maxBytes: 99 })).rejects.toThrow(
        TooLarge,
      )
      await expect(storage.parts.append(key, hundredBytes(), { offset: 1, maxBytes: 999 })).rejects.toThrow(
        '0 bytes, not 1',
      )
      expect(await storage.parts.size(key)).toBe(0)
    })

    it('deletes and lists a file of which parts have arrived', async () => {
      const { storage, everything } = await make()
      const key = await storage.parts.begin()
      await storage.parts.append(key, Readable.from([Buffer.alloc(100)]), { offset: 0, maxBytes: 200 })
      expect((await Array.fromAsync(storage.list())).map((listed) => listed.key)).toEqual([key])
      await storage.delete(key)
      expect(await storage.parts.size(key)).toBeNull()
      await expect(storage.parts.complete(key)).rejects.toThrow(NotStored)
      expect(await everything()).toEqual([])
    })

    it('lists stored files with their times, without deleted ones', async () => {
      const { storage } = await make()
      const before = Date.now()
      const kept = await storage.put(Readable.from([Buffer.from('kept')]), { maxBytes: 10 })
      const gone = await storage.put(Readable.from([Buffer.from('gone')]), { maxBytes: 10 })
      await storage.delete(gone.key)
      const listed = await Array.fromAsync(storage.list())
      expect(listed.map(({ key }) => key)).toEqual([kept.key])
      const at = listed[0]?.storedAt ?? 0
      // File system and clock may differ in resolution.
      expect(Math.abs(at - before)).toBeLessThan(60_000)
    })

    it('unknown keys are not found', async () => {
      const { storage } = await make()
      await expect(storage.read('../../etc/passwd', 0, 1)).rejects.toThrow(NotStored)
      await expect(storage.read('0'.repeat(32), 0, 1)).rejects.toThrow(NotStored)
      expect(await storage.stat('0'.repeat(32))).toBeNull()
    })

    it('equal content gets separate keys', async () => {
      const { storage } = await make()
      const put = () => storage.put(Readable.from([Buffer.from('same')]), { maxBytes: 10 })
      const [a, b] = [await put(), await put()]
      await storage.delete(a.key)
      expect(String(await buffer(await storage.read(b.key, 0, 3)))).toBe('same')
    })

    it('does not sweep files that are being written', async () => {
      const { storage, everything } = await make()
      const slow = new Readable({ read() {} })
      slow.push(Buffer.from('first'))
      const put = storage.put(slow, { maxBytes: 100 })
      await expect.poll(everything).not.toEqual([])
      await storage.sweep()
      slow.push(null)
      expect((await put).size).toBe(5)
    })
  })
}

const hundredBytes = () => Readable.from([Buffer.alloc(100)])

function inPieces(bytes: Buffer, length: number): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
    })(),
  )
}
