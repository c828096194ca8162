import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import yauzl from 'yauzl'
import { z } from 'zod'
import { uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

let testServer: TestServer
let ada: Person
beforeAll(async () => {
  testServer = await startTestServer({ now: () => Date.parse('2026-10-20T12:00:00Z') })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
})

/** Everything of one user. */
async function fill(person: Person, { count = 1, size = 200_000 } = {}) {
  const brandId = (await person.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  const account = await linkAccount(person, { platform: 'instagram', brandId })
  const bytes = Buffer.from(await sampleVideo(size).file.arrayBuffer())
  const video = await uploadVideo(person, new File([bytes], 'tart.mp4', { type: 'video/mp4' }))
  const posts = []
  for (let nth = 0; nth < count; nth += 1)
    posts.push(
      await person.call('createPost', {
        body: {
          video_id: video.video_id,
          text: `Post ${nth}`,
          targets: [{ account_id: account.account_id, text: `To her: ${nth}` }],
          publish_at: { local: '2026-12-24T18:30', timezone: 'Asia/Tokyo' },
        },
      }),
    )
  return { account, video, bytes, posts }
}

/** The files of a ZIP, in its order. */
async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const zip = await yauzl.fromBufferPromise(bytes)
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return files
}

async function download(person: Person, query = '') {
  const answer = await person.request(`/user/export${query}`)
  const files = await unzip(Buffer.from(await answer.arrayBuffer()))
  const read = (name: string): unknown => JSON.parse(files.get(name)?.toString() ?? 'null')
  return { answer, files, read, readList: (name: string) => z.array(z.looseObject({})).parse(read(name)) }
}

it('has everything of its user and nobody else, and no access to accounts', async () => {
  await fill(await signUp(testServer))
  // More than are read at once.
  const { account, video, posts } = await fill(ada, { count: 21 })
  await ada.call('createPreset', { body: { kind: 'text', name: 'Signature', content: { text: 'Come by' } } })
  await ada.call('createWebhook', {
    body: { address: 'https://hooks.example.com/', events: ['post.failed'] },
  })
  const { answer, files, read, readList } = await download(ada)
  expect(answer.headers.get('content-type')).toBe('application/zip')
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="reelay-\d{4}-\d\d-\d\d\.zip"$/,
  )
  expect([...files.keys()]).toEqual([
    'profile.json',
    'brands.json',
    'accounts.json',
    'schedules.json',
    'notification-settings.json',
    'webhooks.json',
    'api-keys.json',
    'presets.json',
    'drafts.json',
    'videos.json',
    'posts.json',
    'posts.csv',
    'results.csv',
  ])
  expect(read('profile.json')).toMatchObject({ email: ada.email })
  expect(readList('brands.json')).toMatchObject([{ title: 'Northwind' }])
  expect(readList('accounts.json')).toMatchObject([{ account_id: account.account_id }])
  expect(readList('videos.json')).toMatchObject([{ video_id: video.video_id, filename: 'tart.mp4' }])
  expect(readList('presets.json')).toMatchObject([{ name: 'Signature', content: { text: 'Come by' } }])
  expect(readList('webhooks.json')).toMatchObject([{ address: 'https://hooks.example.com/' }])
  expect(readList('drafts.json')).toEqual([])
  expect(readList('posts.json').map(({ text }) => text)).toEqual(posts.map(({ text }) => text))
  expect(readList('posts.json')[20]).toMatchObject({
    targets: [{ text: 'To her: 20' }],
    events: [{ status: 'scheduled' }],
  })
  expect(files.get('posts.csv')?.toString().trimEnd().split('\r\n')).toHaveLength(22)
  for (const file of files.values()) expect(file.toString()).not.toMatch(/token|access_t|secret/i)
})

it('has the files of the videos if they are asked for', async () => {
  const { video, bytes } = await fill(ada)
  const { files } = await download(ada, '?videos=true')
  expect(files.get(`videos/${video.video_id}.mp4`)).toEqual(bytes)
})

it('has no end if a file cannot be read, so that no program takes it for whole', async () => {
  const { video } = await fill(ada)
  const { storage_key: key } = await testServer.deps.db
    .selectFrom('videos')
    .select('storage_key')
    .where('video_id', '=', video.video_id)
    .executeTakeFirstOrThrow()
  await testServer.deps.storage.delete(key)
  const answer = await ada.request('/user/export?videos=true')
  await expect(answer.arrayBuffer()).rejects.toThrow()
})

it('runs once at a time for a user, and again once it ended or its client left', async () => {
  // More than connections hold of an answer that nobody reads.
  await fill(ada, { size: 32_000_000 })
  const leaving = new AbortController()
  const first = await ada.request('/user/export?videos=true', { signal: leaving.signal })
  const second = await ada.request('/user/export')
  expect([first.status, second.status]).toEqual([200, 429])
  leaving.abort()
  await expect.poll(async () => (await ada.request('/user/export')).status).toBe(200)
})
