import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  personWith,
  signUp,
  startTestServer,
  until,
  type Person,
  type TestServer,
} from '#test/support/test-server.ts'
import { freePort } from '#test/support/ports/free-port.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { createUpload, patchUpload, sendTus } from '#test/support/uploads.ts'
import { buildApp } from '../app.ts'
import { openDeps } from '../deps.ts'
import { readConfig } from '../runtime/config.ts'
import { deleteExpiredUploads } from './delete-expired-uploads.ts'

let testServer: TestServer
let ada: Person
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
})
afterAll(() => testServer.stop())

const offsetOf = async (someone: Person, id: string) => {
  const { status, headers } = await sendTus(someone, 'HEAD', `/${id}`)
  return status === 200 ? Number(headers.get('upload-offset')) : status
}
const lookAt = (id: string) => ada.call('getUpload', { params: { uploadId: id } })

/** A PATCH of which only `part` is sent: the rest never comes. */
async function stall(id: string, size: number, part: Uint8Array<ArrayBuffer>) {
  const call = request(`${testServer.url}/api/v1/uploads/${id}`, {
    method: 'PATCH',
    agent: false,
    headers: {
      authorization: `Bearer ${ada.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': 0,
      'content-type': 'application/offset+octet-stream',
      'content-length': size,
    },
  })
  call.on('error', () => {})
  const answered = once(call, 'response').then(([answer]) => (answer as IncomingMessage).statusCode)
  answered.catch(() => {}) // where the connection is cut
  call.write(part)
  await until('the part to be stored', async () => (await lookAt(id)).offset === part.length)
  return { call, answered }
}

async function aVideo(size = 200_000) {
  const bytes = new Uint8Array(await sampleVideo(size).file.arrayBuffer())
  return { bytes, id: await createUpload(ada, bytes.length) }
}

/** Another process of the same server: it shares the database and the folder. */
async function joinServer() {
  const { publicUrl } = testServer.config
  const config = readConfig({ ...testServer.env, PUBLIC_URL: publicUrl, PORT: String(await freePort()) })
  const deps = await openDeps(config, testServer.env['DATABASE_URL'] ?? '', pino({ level: 'silent' }))
  const app = await buildApp(deps)
  const url = await app.listen({ port: config.port ?? 0, host: config.host })
  const stop = async () => {
    await app.close()
    await deps.close()
  }
  return { someone: personWith({ url }, ada.email, ada.token), deps, stop }
}

describe('an upload that is resumed while its earlier connection is open', () => {
  it('goes on from every byte that has arrived, and the earlier request answers 423', async () => {
    const { bytes, id } = await aVideo()
    const stalled = await stall(id, bytes.length, bytes.subarray(0, 1000))
    expect(await offsetOf(ada, id)).toBe(1000)
    expect(await stalled.answered).toBe(423)
    stalled.call.destroy()
    expect((await patchUpload(ada, id, 1000, bytes.subarray(1000))).status).toBe(204)
    expect((await lookAt(id)).video?.size).toBe(bytes.length)
  })

  it('goes on at once when that connection is dead', async () => {
    const { bytes, id } = await aVideo()
    const stalled = await stall(id, bytes.length, bytes.subarray(0, 1000))
    stalled.call.destroy()
    expect((await patchUpload(ada, id, 1000, bytes.subarray(1000))).status).toBe(204)
  })

  it('is deleted all the same', async () => {
    const { bytes, id } = await aVideo()
    const stalled = await stall(id, bytes.length, bytes.subarray(0, 1000))
    expect((await sendTus(ada, 'DELETE', `/${id}`)).status).toBe(204)
    stalled.call.destroy()
    expect((await sendTus(ada, 'HEAD', `/${id}`)).status).toBe(404)
  })

  it('is taken over by another process', async () => {
    const { bytes, id } = await aVideo()
    const other = await joinServer()
    try {
      const stalled = await stall(id, bytes.length, bytes.subarray(0, 1000))
      expect(await offsetOf(other.someone, id)).toBe(1000)
      expect(await stalled.answered).toBe(423)
      stalled.call.destroy()
      // Each process goes on from what the other one wrote.
      expect((await patchUpload(other.someone, id, 1000, bytes.subarray(1000, 2000))).status).toBe(204)
      expect((await patchUpload(ada, id, 2000, bytes.subarray(2000))).status).toBe(204)
      const video = (await lookAt(id)).video
      expect(video?.sha256).toBe(await sha256(bytes))
    } finally {
      await other.stop()
    }
  })

  it('is not swept although its time is over', async () => {
    const { bytes, id } = await aVideo()
    const stalled = await stall(id, bytes.length, bytes.subarray(0, 1000))
    const later = () => testServer.deps.now() + 8 * 86_400_000
    await deleteExpiredUploads({ ...testServer.deps, now: later })
    expect((await lookAt(id)).offset).toBe(1000)
    stalled.call.destroy()
    await until('the sweep to delete it', async () => {
      await deleteExpiredUploads({ ...testServer.deps, now: later })
      return (await sendTus(ada, 'HEAD', `/${id}`)).status === 404
    })
  })
})

it('two parts sent at once for the same offset leave the bytes of one', async () => {
  const { bytes, id } = await aVideo()
  const answers = await Promise.all([1, 2].map(() => patchUpload(ada, id, 0, bytes)))
  for (const { status } of answers) expect([204, 409, 423]).toContain(status)
  // The one may have asked the other to let go in the middle, and then found another offset.
  const offset = await offsetOf(ada, id)
  expect((await patchUpload(ada, id, offset, bytes.subarray(offset))).status).toBe(204)
  const { video } = await lookAt(id)
  expect(video?.sha256).toBe(await sha256(bytes))
  const { videos } = await ada.call('listVideos')
  expect(videos.filter((one) => one.sha256 === video?.sha256)).toHaveLength(1)
})

it('a request whose lock was lost with its database connection ends, and the upload goes on', async () => {
  const { bytes, id } = await aVideo()
  const stalled = await stall(id, bytes.length, bytes.subarray(0, 1000))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'reelay uploads'`.execute(testServer.deps.db)
  expect(await stalled.answered).toBe(423)
  stalled.call.destroy()
  expect((await patchUpload(ada, id, 1000, bytes.subarray(1000))).status).toBe(204)
})

const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
