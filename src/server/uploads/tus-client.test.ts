import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { Upload, type UploadOptions } from 'tus-js-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUp, startTestServer, type Person, type TestServer } from '#test/support/test-server.ts'
import { sampleVideo } from '#test/support/sample.ts'

let testServer: TestServer
let ada: Person
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
})
afterAll(() => testServer.stop())

const headers = () => ({ authorization: `Bearer ${ada.token}` })
const getUpload = (url: string | null) =>
  ada.call('getUpload', { params: { uploadId: url?.split('/').at(-1) ?? '' } })

/** Runs an upload of the public client to its end. */
async function send(endpoint: string, file: Buffer, options: UploadOptions = {}): Promise<Upload> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const upload = new Upload(file, {
    endpoint: `${endpoint}/api/v1/uploads`,
    headers: headers(),
    metadata: { filename: 'clip.mp4', filetype: 'video/mp4' },
    retryDelays: Array.from({ length: 50 }, () => 20),
    onSuccess: () => resolve(),
    onError: reject,
    ...options,
  })
  upload.start()
  await promise
  return upload
}

const bigVideo = async (bytes: number) => Buffer.from(await sampleVideo(bytes).file.arrayBuffer())
const sha256 = (file: Buffer) => createHash('sha256').update(file).digest('hex')

/** Passes connections on, and cuts the one that brings the total of the client's bytes over each of these figures. */
async function startCuttingProxy(cuts: number[]) {
  let total = 0
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(testServer.url).port), '127.0.0.1')
    client.on('data', (bytes) => {
      total += bytes.length
      upstream.write(bytes)
      if (total < (cuts[0] ?? Number.POSITIVE_INFINITY)) return
      cuts.shift()
      client.destroy()
    })
    upstream.on('data', (bytes) => client.write(bytes))
    client.on('error', () => {}).on('close', () => upstream.end())
    upstream.on('error', () => {}).on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a TCP server
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

it('the public client uploads over a line that is cut again and again, without starting over', async () => {
  const file = await bigVideo(6_000_000)
  const proxy = await startCuttingProxy([1_500_000, 3_000_000, 4_500_000])
  const offsets: number[] = []
  try {
    const upload = await send(proxy.url, file, {
      onAfterResponse: (request, response) => {
        if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('Upload-Offset')))
      },
    })
    expect(await getUpload(upload.url)).toMatchObject({ video: { size: file.length, sha256: sha256(file) } })
    expect(offsets).toHaveLength(3)
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
    expect(offsets[0]).toBeGreaterThan(0)
  } finally {
    proxy.stop()
  }
})

it('the public client resumes an upload that another run of it has begun', async () => {
  const file = await bigVideo(3_000_000)
  const begun = new Upload(file, {
    endpoint: `${testServer.url}/api/v1/uploads`,
    headers: headers(),
    chunkSize: 1_000_000,
  })
  const onePart = new Promise<void>((resolve) => {
    begun.options.onChunkComplete = () => resolve()
  })
  begun.start()
  await onePart
  await begun.abort()
  const first: number[] = []
  const resumed = await send(testServer.url, file, {
    uploadUrl: begun.url,
    onChunkComplete: (bytes) => first.push(bytes),
  })
  expect(first).toHaveLength(1)
  expect(first[0]).toBeLessThanOrEqual(2_000_000)
  expect(await getUpload(resumed.url)).toMatchObject({ video: { sha256: sha256(file) } })
})

it('the public client sends in small parts, some of them with the creation', async () => {
  const file = await bigVideo(3_000_000)
  const upload = await send(testServer.url, file, { chunkSize: 700_000, uploadDataDuringCreation: true })
  expect(await getUpload(upload.url)).toMatchObject({ video: { sha256: sha256(file) } })
})

it('the public client terminates an upload', async () => {
  const upload = new Upload(randomBytes(5_000_000), {
    endpoint: `${testServer.url}/api/v1/uploads`,
    headers: headers(),
    chunkSize: 100_000,
  })
  const onePart = new Promise<void>((resolve) => {
    upload.options.onChunkComplete = () => resolve()
  })
  upload.start()
  await onePart
  await upload.abort(true)
  const answer = await ada.request(`/uploads/${upload.url?.split('/').at(-1)}`)
  expect(answer.status).toBe(404)
})
