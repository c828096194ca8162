import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, it } from 'vitest'
import type { Storage } from '../storage/storage.ts'
import { createLineMeter } from './line.ts'

let now = 0
const files: Pick<Storage, 'read'> = {
  read: async (_, first, last) => Readable.from([Buffer.alloc(last - first + 1)], { objectMode: false }),
}
// Only `read` is used of it.
const storage = files as Storage

async function send(from: Storage, bytes: number, ms: number): Promise<void> {
  const stream = await from.read('k', 0, bytes - 1)
  now += ms
  stream.resume()
  await finished(stream)
}

it('a line is measured by whole ranges and the time in which any was read', async () => {
  const line = createLineMeter({ clock: () => now, startBytesPerS: 7 })
  const sent: number[] = []
  const counted = line.count(storage, (bytes) => sent.push(bytes))
  expect([line.bytesPerS(), line.isMeasured()]).toEqual([7, false])
  await send(counted, 1000, 1000)
  now += 60_000
  await send(counted, 1000, 1000)
  expect([line.bytesPerS(), line.isMeasured()]).toEqual([1000, true])
  await send(counted, 1000, 2000)
  expect(line.bytesPerS()).toBe(750)
  expect(sent).toEqual([1000, 1000, 1000])
})

it('uploads side by side are measured as one line, and what broke off as no speed', async () => {
  const line = createLineMeter({ clock: () => now })
  const counted = line.count(storage, () => {})
  const [one, two] = await Promise.all([counted.read('a', 0, 999), counted.read('b', 0, 999)])
  now += 2000
  one.resume()
  await finished(one)
  two.destroy()
  await finished(two).catch(() => {})
  expect(line.bytesPerS()).toBe(500)
})
