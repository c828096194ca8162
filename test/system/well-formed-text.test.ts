import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import { TEXT_BROKEN } from '#contract/texts.ts'
import { postTikTok, uploadVideo } from '../support/publish.ts'
import { linkAccount, signUp, startTestServer, type Person, type TestServer } from '../support/test-server.ts'
import { sampleVideo } from '../support/sample.ts'

let testServer: TestServer
let ada: Person
let accountId: AccountId
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  accountId = (await linkAccount(ada, { platform: 'tiktok', brandId: brand_id })).account_id
})
afterAll(() => testServer.stop())

const sendBrand = async (body: Buffer<ArrayBuffer> | string, type = 'application/json') => {
  const answer = await ada.request('/brands', { method: 'POST', headers: { 'content-type': type }, body })
  return { status: answer.status, ...((await answer.json()) as object) }
}
const latin1 = Buffer.from('{"title":"Crème brûlée"}', 'latin1')

const part = (name: string, value: Buffer, filename?: Buffer) => [
  Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"`),
  ...(filename ? [Buffer.from('; filename="'), filename, Buffer.from('"')] : []),
  Buffer.from('\r\n\r\n'),
  value,
  Buffer.from('\r\n'),
]
const sendForm = (title: Buffer, filename: Buffer) =>
  ada.request('/platforms/tiktok/video', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: Buffer.concat([
      ...part('post_info', Buffer.concat([Buffer.from('{"title":"'), title, Buffer.from('"}')])),
      ...part('accountId', Buffer.from(String(accountId))),
      ...part('videoFile', Buffer.from('x'), filename),
      Buffer.from('--b--\r\n'),
    ]),
  })

describe('text that is not well-formed', () => {
  it('is refused in JSON, and its field is named', async () => {
    const refused = { status: 400, code: 'malformed', errors: { title: [TEXT_BROKEN] } }
    expect(await sendBrand(latin1)).toMatchObject(refused)
    expect(await sendBrand(String.raw`{"title":"x\ud83c"}`)).toMatchObject(refused)
    expect(await sendBrand('{"title":"x\ufffd"}')).toMatchObject(refused)
  })

  it('is refused when it is declared as another encoding', async () => {
    expect(await sendBrand(latin1, 'application/json; charset=iso-8859-1')).toMatchObject({ status: 415 })
    expect(await sendBrand('{"title":"Crème"}', 'application/json; charset="UTF-8"')).toMatchObject({
      status: 201,
    })
  })

  it('is refused in an address', async () => {
    expect((await ada.request('/posts?search=%E9')).status).toBe(400)
    expect((await ada.request('/posts?search=%C3%A9')).status).toBe(200)
  })

  it("is refused in a form's field and in its file's name", async () => {
    const [fine, broken] = [Buffer.from('é'), Buffer.from('é', 'latin1')]
    expect((await sendForm(broken, fine)).status).toBe(400)
    expect((await sendForm(fine, broken)).status).toBe(400)
    // The 422 shows that the texts were accepted before the file was refused.
    expect((await sendForm(fine, fine)).status).toBe(422)
  })

  it('is refused in a name at sign-up with the identity protocol', async () => {
    const answer = await fetch(`${testServer.url}/identity/v1/accounts:signUp?key=reelay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"x@example.com","password":"long enough","displayName":"\\ud83c"}',
    })
    expect(answer.status).toBe(400)
  })
})

it('a name keeps its joiners, and its video is found by it', async () => {
  for (const name of ['می\u200cخواهم', '👩\u200d🍳 kitchen']) {
    const file = new File([sampleVideo().file], `${name}.mp4`, { type: 'video/mp4' })
    const { filename, video_id } = await uploadVideo(ada, file)
    expect(filename).toBe(`${name}.mp4`)
    const { videos } = await ada.call('listVideos', { query: { search: name } })
    expect(videos.map((video) => video.video_id)).toEqual([video_id])
  }
  const title = 'ශ්\u200dරී ලංකා'
  expect((await ada.call('createBrand', { body: { title } })).title).toBe(title)
  expect(await sendBrand(JSON.stringify({ title: '\u200dx' }))).toMatchObject({ status: 422 })
})

it('a published caption has every character that was sent', async () => {
  const post = await postTikTok(ada, accountId, sampleVideo(), 'Crème 👩\u200d🍳 می\u200cخواهم')
  expect(post.text).toBe('Crème 👩\u200d🍳 می\u200cخواهم')
})
