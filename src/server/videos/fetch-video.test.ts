import { createServer, type RequestListener, type Server } from 'node:http'
import { readdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ProblemBody } from '#contract/http/problem.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { Video } from '#contract/videos.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { type Person, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
let ada: Person
let shop: Server
let listener: RequestListener
let asked: string[] = []
beforeAll(async () => {
  testServer = await startTestServer({ env: { PRIVATE_ADDRESSES: 'allow' } })
  ada = await signUp(testServer)
  shop = createServer((request, response) => {
    asked.push(request.url ?? '')
    listener(request, response)
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  shop.close()
  shop.closeAllConnections()
  await testServer.stop()
})
beforeEach(() => {
  asked = []
})

const at = (address: string) => `http://127.0.0.1:${(shop.address() as AddressInfo).port}${address}` // it listens at a port
const fetchVideo = (url: string, init: RequestInit = {}) =>
  ada.request('/videos/fetch', {
    method: 'POST',
    body: JSON.stringify({ url }),
    headers: { 'content-type': 'application/json' },
    ...init,
  })
const refusal = async (answer: Response) => {
  const { code, errors } = ProblemBody.parse(await answer.json())
  return [`${answer.status} ${code}`, errors?.['url']?.[0]]
}
const storedFiles = async () => (await readdir(path.join(testServer.config.dataDir, 'media/files'))).length

it('puts the video of an address into the library, also after redirects', async () => {
  const { file, bytes } = sampleVideo()
  const content = Buffer.from(await file.arrayBuffer())
  listener = ({ url }, response) => {
    if (url === '/old') response.writeHead(302, { location: '/videos/Lemon%20Tart.mp4?signed=1' }).end()
    else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content)
  }
  const answer = await fetchVideo(at('/old'))
  expect(answer.status).toBe(201)
  expect(Video.parse(await answer.json())).toMatchObject({ filename: 'Lemon Tart.mp4', size: bytes })
  expect(asked).toEqual(['/old', '/videos/Lemon%20Tart.mp4?signed=1'])
})

it.each<[string, RequestListener, string]>([
  [
    'is not there',
    (_request, response) => response.writeHead(404).end(),
    'This address answers 404 instead of a video.',
  ],
  [
    'redirects for ever',
    (_request, response) => response.writeHead(301, { location: '/' }).end(),
    'This address redirects too often.',
  ],
  [
    'redirects to nothing',
    (_request, response) => response.writeHead(301).end(),
    'This address answers 301 instead of a video.',
  ],
  ['is no video', (_request, response) => response.writeHead(200).end('<html>'), expect.any(String)],
  [
    'breaks off',
    (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('half')
      setImmediate(() => response.destroy())
    },
    'The download broke off. Try again.',
  ],
])('refuses an address that %s, and keeps nothing', async (_what, listen, message) => {
  listener = listen
  const before = await storedFiles()
  expect(await refusal(await fetchVideo(at('/')))).toEqual(['422 invalid', message])
  expect(await storedFiles()).toBe(before)
})

it('refuses what is too large before it loads it', async () => {
  listener = (_request, response) => {
    response.writeHead(200, { 'content-length': VIDEO_MAX_BYTES + 1 }).write('begin')
  }
  expect((await refusal(await fetchVideo(at('/'))))[0]).toBe('413 too_large')
})

it('loads no more than the room that its user has left', async () => {
  const { user_id: userId } = await ada.call('getUser')
  const setQuota = (bytes: number | null) =>
    testServer.deps.db
      .updateTable('users')
      .set({ quota_bytes: bytes })
      .where('user_id', '=', userId)
      .execute()
  await setQuota((await ada.call('getLibrary')).storage.used_bytes + 1_000_000)
  const closed = new Promise((resolve) => {
    listener = (_request, response) => {
      response.on('close', () => resolve('closed'))
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', send)
      send()
    }
  })
  const before = await storedFiles()
  expect((await refusal(await fetchVideo(at('/'))))[0]).toBe('507 quota_exceeded')
  expect(await closed).toBe('closed')
  expect(await storedFiles()).toBe(before)
  await setQuota(null)
})

it('stops when its caller leaves', async () => {
  const leaving = new AbortController()
  const closed = new Promise((resolve) => {
    listener = (_request, response) => {
      response.on('close', () => resolve('closed'))
      response.writeHead(200).write('begin')
      leaving.abort()
    }
  })
  await expect(fetchVideo(at('/'), { signal: leaving.signal })).rejects.toThrow('abort')
  expect(await closed).toBe('closed')
})

it.each(['ftp://example.com/a.mp4', 'video.mp4', 'https://'])('does not take %s', async (url) => {
  expect((await refusal(await fetchVideo(url)))[0]).toBe('422 invalid')
})

it('calls no private network', async () => {
  const strict = await startTestServer()
  const eve = await signUp(strict)
  const answers = [
    'http://127.0.0.1:1/',
    'https://127.0.0.1:1/',
    'https://169.254.169.254/',
    'https://[::1]/',
  ].map(async (url) => {
    const answer = await eve.request('/videos/fetch', {
      method: 'POST',
      body: JSON.stringify({ url }),
      headers: { 'content-type': 'application/json' },
    })
    return (await refusal(answer))[1]
  })
  expect(await Promise.all(answers)).toEqual([
    'Use an address that begins with https://.',
    ...Array<string>(3).fill('This address is in a private network. Use one that everybody can open.'),
  ])
  await strict.stop()
})
