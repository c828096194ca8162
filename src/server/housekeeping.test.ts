import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { clearStorage } from './housekeeping.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

it('deletes only files without a row that are a day old', async () => {
  const { deps } = testServer
  const ada = await signUp(testServer)
  await uploadVideo(ada)
  const stray = await deps.storage.put(Readable.from([Buffer.from('cut off')]), { maxBytes: 100 })

  await clearStorage(deps)
  expect(await deps.storage.stat(stray.key)).not.toBeNull()

  await clearStorage({ ...deps, now: () => Date.now() + 25 * 3_600_000 })
  expect(await deps.storage.stat(stray.key)).toBeNull()
  expect(await Array.fromAsync(deps.storage.list())).toHaveLength(1)
})
