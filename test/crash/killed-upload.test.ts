import { afterAll, beforeAll, expect, it } from 'vitest'
import { delivered, postYouTube } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'
import {
  control,
  linkAccount,
  livePosts,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '../support/test-server.ts'
import { startWorkerProcess } from './processes/workers.ts'

/** Seven parts of 8 MiB, and an end. */
const BYTES = 7 * 8_388_608 + 100_000
const KILLS = 5

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

const holds = async () =>
  (await control(testServer.practiceUrl, 'GET', '/_control/holds')) as { readonly id: number }[] // as their README says

const callsOf = async (call: string) =>
  (await platformCalls(testServer)).filter((one) => one.platform === 'youtube' && one.call === call).length

it(`an upload whose workers are killed ${KILLS} times goes on where it was, and ends as one whole video`, async () => {
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(ada, { platform: 'youtube', brandId })
  const sample = sampleVideo(BYTES)
  const hold = { platform: 'youtube', call: 'chunk', fault: 'hold', ms: 600_000 }
  await control(testServer.practiceUrl, 'POST', '/_control/faults', hold)
  const post = await postYouTube(ada, account_id, sample)
  for (let kills = 0; kills < KILLS; kills += 1) {
    const worker = await startWorkerProcess(testServer)
    // The platform has the part, and its answer never arrives.
    const [held] = await until('the answer to a part', async () => {
      const all = await holds()
      return all.length > 0 && all
    })
    worker.child.kill('SIGKILL')
    await worker.ended
    if (kills < KILLS - 1) await control(testServer.practiceUrl, 'POST', '/_control/faults', hold)
    await control(testServer.practiceUrl, 'DELETE', `/_control/holds/${held?.id}`)
  }
  const last = await startWorkerProcess(testServer)
  try {
    expect((await delivered(ada, post, ['published', 'failed', 'blocked'])).status).toBe('published')
  } finally {
    await last.stop()
  }
  const live = (await livePosts(testServer)).filter(({ platform }) => platform === 'youtube')
  expect(live.map(({ sha256, bytes }) => ({ sha256, bytes }))).toEqual([
    { sha256: sample.sha256, bytes: BYTES },
  ])
  expect(await callsOf('initiate')).toBe(1)
  // No part was sent twice: each kill came after YouTube had it.
  expect(await callsOf('chunk')).toBe(7)
})
