import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { mountSmallDisk } from '#test/support/disk/small-disk.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { fixture, sampleVideo, type Sample } from '#test/support/sample.ts'
import {
  linkAccount,
  livePosts,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { createUpload, patchUpload, sendTus } from '#test/support/uploads.ts'

const MEGABYTES = 20
const RESERVE = MEGABYTES * 1_048_576 * 0.05
/** More than `leaveRoom` leaves by default. */
const LARGE = 400_000

const disk = mountSmallDisk(MEGABYTES)
afterAll(() => disk?.remove())

const leaveRoom = (bytes = 200_000) => disk?.fill(RESERVE + bytes)
const refusal = async (answer: Response) => {
  const { code } = (await answer.json()) as { code?: string } // a problem's, or none
  return [answer.status, code]
}
const FULL = [507, 'disk_full']

describe.runIf(disk !== null)('with the storage on a small disk', () => {
  let testServer: TestServer
  let ada: Person
  let accountIds: Record<'tiktok' | 'instagram', AccountId>
  beforeAll(async () => {
    testServer = await startTestServer({
      worker: true,
      env: { STORAGE_URL: pathToFileURL(`${disk?.dir}/media`).href },
    })
    ada = await signUp(testServer)
    const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
    const link = async (platform: 'tiktok' | 'instagram') =>
      (await linkAccount(ada, { platform, brandId })).account_id
    accountIds = { tiktok: await link('tiktok'), instagram: await link('instagram') }
  })
  afterAll(() => testServer.stop())
  beforeEach(() => disk?.free())

  const sendForm = (address: string, fields: Record<string, string | File>, headers = {}) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    return ada.request(address, { method: 'POST', body, headers })
  }
  const postTikTok = (sample: Sample, headers = {}) =>
    sendForm(
      '/platforms/tiktok/video',
      {
        videoFile: sample.file,
        post_info: JSON.stringify({ title: 'Hello', privacy_level: 'PUBLIC_TO_EVERYONE' }),
        source_info: JSON.stringify(tiktokSourceInfo(sample.bytes)),
        accountId: String(accountIds.tiktok),
      },
      headers,
    )

  it('every door refuses what would use the reserve, and takes what fits', async () => {
    leaveRoom()
    const large = sampleVideo(LARGE)
    const doors = {
      video: () => sendForm('/videos', { file: large.file }),
      tiktok: () => postTikTok(large),
      instagram: () =>
        sendForm('/platforms/instagram/media', {
          video: large.file,
          post_info: JSON.stringify({ caption: 'Hello' }),
          accountId: String(accountIds.instagram),
        }),
      tus: () => sendTus(ada, 'POST', '', { 'upload-length': String(LARGE) }),
      picture: () => sendForm('/pictures', { picture: new File([new Uint8Array(LARGE)], 'a.jpg') }),
    }
    for (const [door, send] of Object.entries(doors))
      expect([door, await refusal(await send())]).toEqual([door, FULL])
    expect((await sendForm('/videos', { file: sampleVideo().file })).status).toBe(201)
    expect((await ada.call('listPosts')).items).toEqual([])
  })

  it('a poster is refused too', async () => {
    const { video_id: videoId } = await uploadVideo(ada)
    leaveRoom(1_000)
    const body = new FormData()
    body.append('poster', new File([await readFile(fixture('poster-1.jpg'))], 'a.jpg'))
    const answer = await ada.request(`/videos/${videoId}/poster`, { method: 'PUT', body })
    expect(await refusal(answer)).toEqual(FULL)
  })

  it('a form of unknown length is cut off at the reserve, and leaves nothing', async () => {
    leaveRoom()
    const stored = () => Array.fromAsync(testServer.deps.storage.list())
    const before = await stored()
    const call = request(`${testServer.url}/api/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'multipart/form-data; boundary=x' },
    })
    call.on('error', () => {}) // the server may close the connection once it has answered
    const status = new Promise((resolve) => call.once('response', (answer) => resolve(answer.statusCode)))
    call.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n')
    for (let sent = 0; sent < 4 * LARGE; sent += 65_536) call.write(Buffer.alloc(65_536))
    call.end('\r\n--x--\r\n')
    expect(await status).toBe(507)
    expect(await stored()).toEqual(before)
    expect(await testServer.deps.storage.room()).toBeGreaterThan(0)
  })

  it('an upload that no longer fits keeps what has arrived, and goes on once there is room', async () => {
    const { file } = sampleVideo(LARGE)
    const bytes = new Uint8Array(await file.arrayBuffer())
    const id = await createUpload(ada, bytes.length)
    expect((await patchUpload(ada, id, 0, bytes.slice(0, 100_000))).status).toBe(204)
    leaveRoom()
    expect(await refusal(await patchUpload(ada, id, 100_000, bytes.slice(100_000)))).toEqual(FULL)
    disk?.free()
    expect((await patchUpload(ada, id, 100_000, bytes.slice(100_000))).status).toBe(204)
  })

  it('posts of stored videos go out while uploads are refused', async () => {
    const { video_id: videoId, sha256 } = await uploadVideo(ada)
    leaveRoom(0)
    await ada.call('createPost', {
      body: {
        video_id: videoId,
        text: 'Hello',
        targets: [{ account_id: accountIds.instagram, options: {} }],
      },
    })
    await until('the post to be live', async () =>
      (await livePosts(testServer)).some((post) => post.sha256 === sha256),
    )
  })

  it('a repeat of a post that was made is not refused as if it had not been', async () => {
    const sample = sampleVideo(LARGE)
    const repeat = () => postTikTok(sample, { 'idempotency-key': 'one' })
    expect((await repeat()).status).toBe(202)
    leaveRoom()
    expect(await refusal(await repeat())).toEqual([503, 'unavailable'])
    disk?.free()
    expect((await repeat()).status).toBe(202)
  })
})
