import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, it } from 'vitest'
import type { Storage } from '../../storage/storage.ts'
import { createBandwidthMeter } from './bandwidth.ts'

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

it('bandwidth is whole ranges by the time in which any was read', async () => {
  const meter = createBandwidthMeter({ clock: () => now, startBytesPerS: 7 })
  const sent: number[] = []
  const measured = meter.measure(storage, (bytes) => sent.push(bytes))
  expect([meter.bytesPerS(), meter.isMeasured()]).toEqual([7, false])
  await send(measured, 1000, 1000)
  now += 60_000
  await send(measured, 1000, 1000)
  expect([meter.bytesPerS(), meter.isMeasured()]).toEqual([1000, true])
  await send(measured, 1000, 2000)
  expect(meter.bytesPerS()).toBe(750)
  expect(sent).toEqual([1000, 1000, 1000])
})

it('parallel uploads share one bandwidth, and broken ones count no bytes', async () => {
  const meter = createBandwidthMeter({ clock: () => now })
  const measured = meter.measure(storage, () => {})
  const [one, two] = await Promise.all([measured.read('a', 0, 999), measured.read('b', 0, 999)])
  now += 2000
  one.resume()
  await finished(one)
  two.destroy()
  await finished(two).catch(() => {})
  expect(meter.bytesPerS()).toBe(500)
})
