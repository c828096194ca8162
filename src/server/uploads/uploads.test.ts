import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPEN_UPLOADS_MAX, VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { TEXT_BROKEN, TEXTS } from '#contract/texts.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import { signUp, startTestServer, until, type Person, type TestServer } from '#test/support/test-server.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { createUpload, patchUpload, sendTus } from '#test/support/uploads.ts'
import { openStorage } from '../storage/open-storage.ts'
import { createFactsReader, type FactsReader } from '../videos/facts.ts'
import { deleteExpiredUploads } from './delete-expired-uploads.ts'
import { finishUpload } from './finish-upload.ts'
import { renewUpload, type UploadRow } from './store.ts'

let testServer: TestServer
let ada: Person
let eve: Person
beforeAll(async () => {
  testServer = await startTestServer({ openFactsReader: createFactsReader })
  ;[ada, eve] = await Promise.all([signUp(testServer, 'Ada'), signUp(testServer, 'Eve')])
})
afterAll(() => testServer.stop())

const usedBy = async (someone: Person) => (await someone.call('getLibrary')).storage.used_bytes
/** For a body without a length; the types of `fetch` do not know it. */
const STREAMED = { duplex: 'half' } as const
const videoBytes = async () => new Uint8Array(await sampleVideo().file.arrayBuffer())
const offsetOf = async (id: string, someone = ada) => {
  const { status, headers } = await sendTus(someone, 'HEAD', `/${id}`)
  return status === 200 ? Number(headers.get('upload-offset')) : status
}
const getUpload = (id: string, someone = ada) => someone.call('getUpload', { params: { uploadId: id } })
const problemIn = async (answer: Response) => ({
  status: answer.status,
  ...ProblemBody.parse(await answer.json()),
})
const storedKeys = async () =>
  (await Array.fromAsync(testServer.deps.storage.list())).map(({ key }) => key).toSorted()
const rowOf = (id: string) => uploadRow(id).executeTakeFirstOrThrow()
const uploadRow = (id: string) =>
  testServer.deps.db.selectFrom('uploads').selectAll().where('upload_id', '=', id)
const override = (method: string) => ({ 'x-http-method-override': method })
const anUpload = (user_id: number) => ({
  upload_id: randomBytes(16).toString('hex'),
  storage_key: randomBytes(16).toString('hex'),
  user_id,
  filename: 'a.mp4',
  upload_metadata: '',
  size: 10,
  expires_at: new Date(testServer.deps.now() + 86_400_000),
})

it('unfinished uploads are listed with what has arrived, latest first, and only to their user', async () => {
  const someone = await signUp(testServer, 'Bea')
  const listed = async (who = someone) => (await who.call('listUploads')).items
  const bytes = await videoBytes()
  const first = await createUpload(someone, bytes.length, 'first.mp4')
  const second = await createUpload(someone, 2000, 'second.mp4')
  await patchUpload(someone, first, 0, bytes.subarray(0, 1000))
  const row = await rowOf(first)
  await testServer.deps.db
    .updateTable('uploads')
    .set({ expires_at: new Date(row.expires_at.getTime() - 1000) })
    .where('upload_id', '=', second)
    .execute()
  const expires_at = row.expires_at.toISOString()
  expect(await listed()).toEqual([
    {
      upload_id: first,
      filename: 'first.mp4',
      size: bytes.length,
      offset: 1000,
      expires_at,
      received_at: new Date(row.expires_at.getTime() - 7 * 86_400_000).toISOString(),
    },
    expect.objectContaining({ upload_id: second, offset: 0 }),
  ])
  expect(await listed(eve)).toEqual([])
  await patchUpload(someone, first, 1000, bytes.subarray(1000))
  await sendTus(someone, 'DELETE', `/${second}`)
  expect(await listed()).toEqual([])
})

describe('an upload in parts', () => {
  it('becomes a video with the hash of its bytes once the last part has arrived', async () => {
    const bytes = await videoBytes()
    const id = await createUpload(ada, bytes.length, 'päus/e.mp4')
    expect(await getUpload(id)).toMatchObject({
      filename: 'e.mp4',
      size: bytes.length,
      offset: 0,
      video: null,
    })

    const first = await patchUpload(ada, id, 0, bytes.subarray(0, 1000))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '1000'])
    expect(await offsetOf(id)).toBe(1000)
    const last = await patchUpload(ada, id, 1000, bytes.subarray(1000))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(bytes.length)])

    const { video } = await getUpload(id)
    expect(video).toMatchObject({
      video_id: Number(last.headers.get('reelay-video-id')),
      filename: 'e.mp4',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      facts: { container: 'mp4' },
    })
    expect((await ada.call('listVideos')).videos).toContainEqual(video)
  })

  it('sends its first bytes with its creation', async () => {
    const bytes = await videoBytes()
    const answer = await sendTus(
      ada,
      'POST',
      '',
      { 'upload-length': String(bytes.length), 'content-type': 'application/offset+octet-stream' },
      bytes,
    )
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, String(bytes.length)])
    const id = answer.headers.get('location')?.split('/').at(-1) ?? ''
    expect((await getUpload(id)).video).toMatchObject({ filename: 'video', size: bytes.length })
  })

  it('is created behind several proxies', async () => {
    const answer = await sendTus(ada, 'POST', '', {
      'upload-length': '1000',
      'x-forwarded-proto': 'https, http',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      expect.stringMatching(/^\/api\/v1\/uploads\/[0-9a-f]{32}$/),
    ])
  })

  it('tells length, metadata and the time until which it is kept', async () => {
    const id = await createUpload(ada, 1000)
    const { headers } = await sendTus(ada, 'HEAD', `/${id}`)
    expect(headers.get('upload-length')).toBe('1000')
    expect(headers.get('upload-metadata')).toBe('filename Y2xpcC5tcDQ=,filetype dmlkZW8vbXA0')
    const part = await patchUpload(ada, id, 0, new Uint8Array(10))
    const days = (Date.parse(part.headers.get('upload-expires') ?? '') - testServer.deps.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThan(7.1)
  })

  it('tells its metadata as they were given, in order, with bytes that are no text', async () => {
    const given = 'zone TGlzYm9u,filename w6kubXA0,draft,thumb /w=='
    const answer = await sendTus(ada, 'POST', '', { 'upload-length': '10', 'upload-metadata': given })
    const id = answer.headers.get('location')?.split('/').at(-1) ?? ''
    expect((await sendTus(ada, 'HEAD', `/${id}`)).headers.get('upload-metadata')).toBe(given)
  })

  it('is sent, asked for and deleted by clients that can only POST', async () => {
    const id = await createUpload(ada, 4)
    const bytes = { 'upload-offset': '0', 'content-type': 'Application/Offset+Octet-Stream; v=1' }
    const sent = await sendTus(ada, 'POST', `/${id}`, { ...override('patch'), ...bytes }, 'abc')
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '3'])
    expect((await sendTus(ada, 'POST', `/${id}`, override('HEAD'))).headers.get('upload-offset')).toBe('3')
    expect((await sendTus(ada, 'POST', `/${id}`, override('PUT'))).status).toBe(404)
    expect((await sendTus(ada, 'POST', `/${id}`)).status).toBe(404)
    expect((await sendTus(ada, 'POST', `/${id}`, override('DELETE'))).status).toBe(204)
    expect(await offsetOf(id)).toBe(404)
  })

  it('answers its video again when the last answer was lost', async () => {
    const bytes = await videoBytes()
    const id = await createUpload(ada, bytes.length)
    await patchUpload(ada, id, 0, bytes)
    const again = await patchUpload(ada, id, bytes.length, new Uint8Array(0))
    expect([again.status, await offsetOf(id)]).toEqual([204, bytes.length])
    const { video } = await getUpload(id)
    await ada.call('deleteVideo', { params: { videoId: video?.video_id ?? 0 } })
    expect(await getUpload(id)).toMatchObject({ offset: bytes.length, video: null })
  })

  it('that is no video is refused at its end and leaves nothing', async () => {
    const before = await storedKeys()
    const id = await createUpload(ada, 500)
    const answer = await patchUpload(ada, id, 0, new Uint8Array(500))
    expect(await problemIn(answer)).toMatchObject({
      status: 422,
      code: 'invalid',
      errors: { file: ['Please select a valid video file'] },
    })
    expect([await offsetOf(id), await storedKeys()]).toEqual([404, before])
  })

  it('is deleted with its bytes by its client', async () => {
    const before = await storedKeys()
    const id = await createUpload(ada, 500)
    await patchUpload(ada, id, 0, new Uint8Array(100))
    expect(await storedKeys()).toHaveLength(before.length + 1)
    expect((await sendTus(ada, 'DELETE', `/${id}`)).status).toBe(204)
    expect([await offsetOf(id), await storedKeys()]).toEqual([404, before])
  })
})

/** All bytes are stored, the last of them by a process that did nothing more. */
async function interrupted() {
  const bytes = await videoBytes()
  const id = await createUpload(ada, bytes.length)
  const at = { offset: bytes.length - 1, maxBytes: bytes.length }
  await patchUpload(ada, id, 0, bytes.subarray(0, at.offset))
  const { storage_key } = await rowOf(id)
  const elsewhere = await openStorage(testServer.config.storage)
  await elsewhere.parts.append(storage_key, Readable.from([Buffer.from(bytes.subarray(at.offset))]), at)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { id, sha256, complete: () => elsewhere.parts.complete(storage_key) }
}

describe('an upload whose server was killed after its last byte', () => {
  it('is finished when its offset is asked for', async () => {
    const { id, sha256 } = await interrupted()
    const { size } = await rowOf(id)
    expect(await offsetOf(id)).toBe(size)
    expect((await rowOf(id)).video_id).not.toBeNull()
    expect((await getUpload(id)).video?.sha256).toBe(sha256)
  })

  it('is finished once, although its video is asked for twice at a time', async () => {
    const { id, sha256, complete } = await interrupted()
    await complete() // renamed, but not recorded
    await Promise.all([getUpload(id), getUpload(id)])
    expect((await getUpload(id)).video?.sha256).toBe(sha256)
    const { videos } = await ada.call('listVideos')
    expect(videos.filter((video) => video.sha256 === sha256)).toHaveLength(1)
  })
})

const finishStale = (stale: UploadRow, facts: FactsReader) =>
  finishUpload({ ...testServer.deps, facts, quotaBytes: null }, stale, {
    userId: stale.user_id,
    ip: '127.0.0.1',
    gone: new AbortController().signal,
  })

it('a video stays although its upload is finished again by who read it as unfinished', async () => {
  const bytes = await videoBytes()
  const id = await createUpload(ada, bytes.length)
  const stale = await rowOf(id)
  const done = await patchUpload(ada, id, 0, bytes)
  const facts = { readStored: () => Promise.resolve(UNKNOWN_FACTS) }
  const videoId = await finishStale(stale, facts)
  expect(String(videoId)).toBe(done.headers.get('reelay-video-id'))
  expect(await testServer.deps.storage.stat(stale.storage_key)).toEqual({ size: bytes.length })
})

describe('a video whose upload is finished elsewhere while its file is read, because a lock was lost', () => {
  it('stays when the file looks unusable here', async () => {
    const { id } = await interrupted()
    const stale = await rowOf(id)
    const readStored = async () => {
      await getUpload(id)
      return UNKNOWN_FACTS
    }
    await expect(finishStale(stale, { readStored })).rejects.toThrow(TEXTS.notAVideo)
    expect(await testServer.deps.storage.stat(stale.storage_key)).toEqual({ size: stale.size })
  })

  it('stays when its upload is then deleted', async () => {
    const { id } = await interrupted()
    const stale = await rowOf(id)
    const facts = createFactsReader(testServer.deps.storage, () => Promise.resolve(true))
    const readStored: FactsReader['readStored'] = async (...args) => {
      await getUpload(id)
      await sendTus(ada, 'DELETE', `/${id}`)
      return facts.readStored(...args)
    }
    await expect(finishStale(stale, { readStored })).rejects.toThrow("This upload doesn't exist.")
    expect(await testServer.deps.storage.stat(stale.storage_key)).toEqual({ size: stale.size })
  })
})

describe('an upload whose creation ends before its address is told', () => {
  const creation = { 'upload-length': '1000', 'content-type': 'application/offset+octet-stream' }

  it('is deleted when more came than it was created with', async () => {
    const mia = await signUp(testServer, 'Mia')
    const answer = await sendTus(mia, 'POST', '', creation, new Uint8Array(1001))
    expect([answer.status, await usedBy(mia)]).toEqual([413, 0])
  })

  it('is deleted when its client leaves', async () => {
    const mia = await signUp(testServer, 'Mia')
    const leaving = new AbortController()
    const body = new ReadableStream({ start: (bytes) => bytes.enqueue(new Uint8Array(10)) })
    const call = mia.request('/uploads', {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', ...creation },
      body,
      ...STREAMED,
      signal: leaving.signal,
    })
    const ended = expect(call).rejects.toThrow(/abort/)
    await until('the upload to be created', async () => (await usedBy(mia)) === 1000)
    leaving.abort()
    await ended
    await until('it to be deleted', async () => (await usedBy(mia)) === 0)
  })
})

describe('an upload is refused', () => {
  const length = { 'upload-length': '1000' }
  it.each([
    ['over 4 GB', { 'upload-length': String(VIDEO_MAX_BYTES + 1) }, 413, 'Video file must be at most 4 GB'],
    ['without a length', {}, 400, 'The header Upload-Length is missing.'],
    [
      'of a length told later',
      { 'upload-defer-length': '1' },
      400,
      'Create the upload with its length (Upload-Length).',
    ],
    ['of nothing', { 'upload-length': '0' }, 422, 'This file is empty.'],
    [
      'with broken metadata',
      { ...length, 'upload-metadata': 'filename ??' },
      400,
      'Not a tus 1.0 request: Invalid upload-metadata',
    ],
    ['with NUL in its name', { ...length, 'upload-metadata': 'filename AAAA' }, 400, TEXT_BROKEN],
    [
      'with a name that is not UTF-8',
      { ...length, 'upload-metadata': 'filename Q3LpbWU=' },
      400,
      'The filename in Upload-Metadata is not UTF-8.',
    ],
    [
      'of another version of tus',
      { ...length, 'tus-resumable': '0.2.2' },
      412,
      'This server speaks tus 1.0.0.',
    ],
  ])('%s', async (_what, headers, status, message) => {
    const before = await storedKeys()
    const answer = await sendTus(ada, 'POST', '', headers)
    expect(await problemIn(answer)).toMatchObject({ status, message })
    expect(await storedKeys()).toEqual(before)
  })

  it('of another version of tus, and says which the server speaks', async () => {
    const answer = await sendTus(ada, 'POST', '', { ...length, 'tus-resumable': '0.2.2' })
    expect([answer.status, answer.headers.get('tus-version')]).toEqual([412, '1.0.0'])
  })

  it('at another offset than the one it is at', async () => {
    const id = await createUpload(ada, 1000)
    const answer = await patchUpload(ada, id, 10, new Uint8Array(10))
    expect(await problemIn(answer)).toMatchObject({ status: 409, code: 'conflict' })
    expect(await offsetOf(id)).toBe(0)
  })

  it('when more is sent than it was created with', async () => {
    const id = await createUpload(ada, 10)
    const answer = await patchUpload(ada, id, 0, new Uint8Array(11))
    expect(await problemIn(answer)).toMatchObject({ status: 413, code: 'too_large' })
  })

  it('when more is sent without its length', async () => {
    const id = await createUpload(ada, 10)
    const answer = await ada.request(`/uploads/${id}`, {
      method: 'PATCH',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: new Blob([new Uint8Array(11)]).stream(),
      ...STREAMED,
    })
    expect(await problemIn(answer)).toMatchObject({
      status: 413,
      message: 'This is more than the length that the upload was created with.',
    })
  })

  it('at an address with NUL', async () => {
    expect([await offsetOf('%00'), (await sendTus(ada, 'DELETE', '/a%00b')).status]).toEqual([404, 404])
  })

  it('as a plain request', async () => {
    const answer = await ada.request('/uploads', { method: 'POST', headers: length })
    expect(await problemIn(answer)).toMatchObject({ status: 412, code: 'tus_version' })
    const id = await createUpload(ada, 10)
    const part = await sendTus(
      ada,
      'PATCH',
      `/${id}`,
      { 'upload-offset': '0', 'content-type': 'video/mp4' },
      'bytes',
    )
    expect(await problemIn(part)).toMatchObject({ status: 415, code: 'unsupported_media' })
  })

  it('beyond a hundred unfinished ones of a user', async () => {
    const lin = await signUp(testServer, 'Lin')
    const { user_id } = await rowOf(await createUpload(lin, 10))
    await testServer.deps.db
      .insertInto('uploads')
      .values(Array.from({ length: OPEN_UPLOADS_MAX - 1 }, () => anUpload(user_id)))
      .execute()
    const answer = await sendTus(lin, 'POST', '', length)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60'])
  })
})

describe("another user's upload", () => {
  it('answers 404 to every call and is not changed', async () => {
    const id = await createUpload(ada, 1000)
    await patchUpload(ada, id, 0, new Uint8Array(10))
    const answers = [
      await sendTus(eve, 'HEAD', `/${id}`),
      await patchUpload(eve, id, 10, new Uint8Array(10)),
      await sendTus(eve, 'DELETE', `/${id}`),
      await eve.request(`/uploads/${id}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(await offsetOf(id)).toBe(10)
  })

  it('answers 401 without a valid token', async () => {
    const id = await createUpload(ada, 1000)
    const stranger = {
      ...ada,
      request: (address: string, init: RequestInit = {}) => fetch(`${testServer.url}/api/v1${address}`, init),
    }
    const answers = [
      await sendTus(stranger, 'POST', '', { 'upload-length': '10' }),
      await patchUpload(stranger, id, 0, new Uint8Array(10)),
      await sendTus(stranger, 'DELETE', `/${id}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  })

  it('says what it can do to anybody who asks with OPTIONS', async () => {
    const { status, headers } = await fetch(`${testServer.url}/api/v1/uploads`, { method: 'OPTIONS' })
    expect(status).toBe(204)
    expect(Object.fromEntries(headers)).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,termination',
      'tus-max-size': String(VIDEO_MAX_BYTES),
    })
  })
})

describe('an abandoned upload', () => {
  it('is gone a week after its last bytes, with what had arrived', async () => {
    const { deps } = testServer
    const id = await createUpload(ada, 1000)
    await patchUpload(ada, id, 0, new Uint8Array(10))
    const { storage_key } = await rowOf(id)
    await deleteExpiredUploads({ ...deps, now: () => deps.now() + 6.9 * 86_400_000 })
    expect(await offsetOf(id)).toBe(10)
    await deleteExpiredUploads({ ...deps, now: () => deps.now() + 7.1 * 86_400_000 })
    expect([await offsetOf(id), await uploadRow(id).execute()]).toEqual([404, []])
    expect(await storedKeys()).not.toContain(storage_key)
  })

  it('stays when its last bytes come while it is being swept', async () => {
    const { deps } = testServer
    const id = await createUpload(ada, 1000)
    const later = deps.now() + 7.1 * 86_400_000
    let sweep = Promise.resolve()
    await deps.db.transaction().execute(async (trx) => {
      await renewUpload(trx, id, later)
      sweep = deleteExpiredUploads({ ...deps, now: () => later })
      await until('the sweep to wait for the row', async () => {
        const { rows } = await sql`select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from uploads%'`.execute(
          deps.db,
        )
        return rows.length > 0
      })
    })
    await sweep
    expect(await offsetOf(id)).toBe(0)
  })

  it('goes with its user', async () => {
    const tom = await signUp(testServer, 'Tom')
    const id = await createUpload(tom, 1000)
    await patchUpload(tom, id, 0, new Uint8Array(10))
    const { storage_key } = await rowOf(id)
    expect(await storedKeys()).toContain(storage_key)
    await tom.call('deleteUser')
    await until('the file to be deleted', async () => !(await storedKeys()).includes(storage_key))
    expect(await uploadRow(id).execute()).toEqual([])
  })
})
