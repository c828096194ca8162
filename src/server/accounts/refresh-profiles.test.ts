import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  control,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { refreshProfiles } from './refresh-profiles.ts'

const DAY_MS = 86_400_000
const running = new AbortController().signal

let testServer: TestServer
let ada: Person
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  await renameChannel('Lumi')
  await linkAccount(ada, { platform: 'youtube', brandId, creator: 'lumi' })
})
afterAll(() => testServer.stop())

const renameChannel = (title: string) =>
  control(testServer.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'youtube',
    username: 'lumi',
    title,
  })
const nameOf = async () => (await ada.call('listAccounts'))[0]?.display_name
const channelReads = async () =>
  (await platformCalls(testServer)).filter(({ call }) => call === 'channel').length
const runOnDay = (day: number) =>
  refreshProfiles({ ...testServer.deps, now: () => Date.now() + day * DAY_MS }, running)

it('reads an account again on one of ten days, once its link is that old', async () => {
  await renameChannel('Lumi at sea')
  const before = await channelReads()
  for (let day = 0; day < 10; day += 1) await runOnDay(day)
  expect(await nameOf()).not.toBe('Lumi at sea')
  expect(await channelReads()).toBe(before)
  for (let day = 11; day < 21; day += 1) await runOnDay(day)
  expect(await nameOf()).toBe('Lumi at sea')
  expect(await channelReads()).toBe(before + 1)
})

it('leaves the name where the channel cannot be read', async () => {
  await renameChannel('Lumi ashore')
  const { youtube } = testServer.deps.platforms
  if (!youtube) return expect.unreachable()
  const silent = { ...youtube, profile: () => Promise.resolve({ ok: false, failure: SILENT } as const) }
  const deps = { ...testServer.deps, platforms: { ...testServer.deps.platforms, youtube: silent } }
  for (let day = 11; day < 21; day += 1)
    await refreshProfiles({ ...deps, now: () => Date.now() + day * DAY_MS }, running)
  expect(await nameOf()).toBe('Lumi at sea')
  expect((await ada.call('listAccounts'))[0]?.health).toEqual({ status: 'ok' })
})

const SILENT = {
  kind: 'unreachable',
  reason: { code: 'unreachable', message: 'YouTube did not answer.', remedy: 'None needed.', detail: null },
} as const
