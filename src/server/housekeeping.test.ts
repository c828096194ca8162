import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { takeImportKey } from './csv/store.ts'
import { clearStorage, startHousekeeping } from './housekeeping.ts'

const DAY_MS = 86_400_000

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

async function runHousekeeping(atMs = testServer.deps.now()): Promise<void> {
  await startHousekeeping({ ...testServer.deps, now: () => atMs }).stop()
}

it('deletes the keys of imports after 30 days', async () => {
  const { deps } = testServer
  const { user_id: userId } = await (await signUp(testServer, 'Tess')).call('getUser')
  const now = deps.now()
  for (const key of ['one', 'two'])
    await takeImportKey(
      deps.db,
      { userId, key },
      { hash: Buffer.from(key), now: now - (key === 'one' ? DAY_MS : 0) },
    )
  const keys = async () => {
    const rows = await deps.db.selectFrom('post_imports').select('idempotency_key').execute()
    return rows.map((row) => row.idempotency_key).toSorted()
  }

  await runHousekeeping(now + 28.5 * DAY_MS)
  expect(await keys()).toEqual(['one', 'two'])
  await runHousekeeping(now + 29.5 * DAY_MS)
  expect(await keys()).toEqual(['two'])
})

it('deletes drafts for good 30 days after they were deleted', async () => {
  const { deps } = testServer
  const eve = await signUp(testServer, 'Eve')
  const content = { video_id: null, text: '', platform_options: {}, targets: [], publish_at: null }
  const [deleted, kept] = [randomUUID(), randomUUID()]
  for (const draftId of [deleted, kept])
    await eve.call('saveDraft', { params: { draftId }, body: { version: 0, content } })
  await eve.call('deleteDraft', { params: { draftId: deleted } })
  const drafts = async () => {
    const rows = await deps.db.selectFrom('drafts').select('draft_id').execute()
    return rows.map((row) => row.draft_id)
  }

  await runHousekeeping(deps.now() + 29 * DAY_MS)
  expect((await drafts()).toSorted()).toEqual([deleted, kept].toSorted())
  await runHousekeeping(deps.now() + 31 * DAY_MS)
  expect(await drafts()).toEqual([kept])
})
