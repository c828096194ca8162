import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUp, startHouse, type House } from '#test/support/harness.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { clearStorage } from './housekeeping.ts'

let house: House
beforeAll(async () => {
  house = await startHouse()
})
afterAll(() => house.stop())

it('deletes only files without a row that are a day old', async () => {
  const { deps } = house
  const ada = await signUp(house)
  await uploadVideo(ada)
  const stray = await deps.storage.put(Readable.from([Buffer.from('cut off')]), { maxBytes: 100 })

  await clearStorage(deps)
  expect(await deps.storage.stat(stray.key)).not.toBeNull()

  await clearStorage({ ...deps, now: () => Date.now() + 25 * 3_600_000 })
  expect(await deps.storage.stat(stray.key)).toBeNull()
  expect(await Array.fromAsync(deps.storage.list())).toHaveLength(1)
})
