import { waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Video } from '#contract/videos.ts'
import { setCredentials } from '#web/api/api.ts'
import { video } from '#web/testing/data.ts'
import { tus, uploadIdOf } from '#web/testing/tus-stub.ts'
import {
  CONTINUED,
  FROM_THE_START,
  ResumableUpload,
  SENT_SMALLER,
  SMALL_CUT_OFF,
  TIMING,
} from './resumable-upload.ts'
import { resetPartBytes } from './tus-requests.ts'
import type { ShownUpload } from './uploads.ts'

const UID = 'ada'
const TOTAL = 1_000_000
const fileOf = (fill = 'a', name = 'tart.mp4', lastModified = 1) =>
  new File([fill.repeat(TOTAL)], name, { type: 'video/mp4', lastModified })

const refused = vi.fn()
const tokens: boolean[] = []
beforeEach(() => {
  tokens.length = 0
  refused.mockClear()
  setCredentials({
    token: (renewed) => {
      tokens.push(renewed)
      return Promise.resolve(`token ${tokens.filter(Boolean).length}`)
    },
    refused,
  })
  resetPartBytes()
  tus.becomes(({ size, filename }) => Video.parse(video({ video_id: 7, filename, size })))
  Object.assign(TIMING, {
    stalledMs: 60_000,
    reconnectMs: 60_000,
    pollMs: 20,
    takeOverMs: 60_000,
    checkMs: 20,
  })
  // No wait between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(-1.5)
})

const timing = { ...TIMING }
afterEach(() => {
  Object.assign(TIMING, timing)
  resetPartBytes()
})

/** Starts an upload and notes what is shown. */
function start(file = fileOf(), uid = UID) {
  const seen: ShownUpload[] = []
  const upload = new ResumableUpload(file, { id: 'post', uid }, (shown) => seen.push(shown))
  return { seen, upload, ended: upload.run(), last: () => seen.at(-1), notes: () => notesOf(seen) }
}
const notesOf = (seen: readonly ShownUpload[]) =>
  [...new Set(seen.map(({ note }) => note))].filter((note) => note !== null)
const STORED = { kind: 'stored', video: { video_id: 7, filename: 'tart.mp4', size: TOTAL } }
const cutAfter = (bytes: number) => (part: { report: (b: number) => void; arrive: (b: number) => void }) => {
  part.report(bytes)
  part.arrive(bytes)
  return 'disconnected' as const
}
const refuse = (status: number, code: string, message: string) => ({ status, body: { code, message } })

test('a file is created, sent and becomes a video', async () => {
  const { ended, seen } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.requests()).toEqual(['POST', 'PATCH 1', 'GET 1'])
  expect(tus.parts().map(({ authorization }) => authorization)).toEqual(['Bearer token 0'])
  expect(seen.at(-1)?.progress).toMatchObject({ sent: TOTAL, total: TOTAL })
  expect(localStorage.getItem(`uploads ${UID}`)).toBeNull()
})

test('after a lost line it goes on from what the server has, however often', async () => {
  tus.onPart((part, count) => (count <= 8 ? cutAfter(100_000)(part) : null))
  const { ended, seen } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset }) => offset)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8].map((part) => part * 100_000),
  )
  expect(seen.map(({ phase }) => phase)).toContain('waiting')
})

test('what is shown goes back only with a note of what is sent again', async () => {
  tus.onPart((part, count) => {
    if (count > 1) return null
    part.report(800_000)
    part.arrive(300_000)
    return 'disconnected'
  })
  const { ended, seen } = start()
  await ended
  seen.reduce((before, now) => {
    const isBack = now.progress.sent < before.progress.sent
    if (isBack) expect(now.note).toBe('The last 500 kB had not arrived and are sent again.')
    return isBack ? before : now
  })
  expect(seen.at(-1)?.note).toBeNull()
})

test('the same file chosen again after a reload continues, whatever its modification time', async () => {
  const release = tus.hold()
  const first = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  tus.parts()[0]?.arrive(400_000)
  // As a reload leaves it: nobody pauses or cancels.
  first.upload.pause()
  tus.onPart(() => null)
  const again = start(fileOf('a', 'tart.mp4', 2))
  expect(await again.ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset }) => offset)).toEqual([0, 400_000])
  expect(again.notes()).toContain(CONTINUED)
  release()
})

test.each([
  ['first', (text: string) => `b${text.slice(1)}`],
  ['last', (text: string) => `${text.slice(1)}b`],
])(
  'another file of the same name and size with other %s bytes is sent on its own',
  async (_where, change) => {
    tus.onPart((part, count) => (count === 1 ? cutAfter(400_000)(part) : null))
    tus.onOther((method) => (method === 'GET' && tus.parts().length === 1 ? 'disconnected' : null))
    const first = start()
    await waitFor(() => expect(first.last()?.phase).toBe('waiting'))
    first.upload.pause()
    tus.onOther(() => null)
    const other = new File([change('a'.repeat(TOTAL))], 'tart.mp4', { type: 'video/mp4' })
    expect(await start(other).ended).toMatchObject(STORED)
    expect(tus.parts().map(({ uploadId, offset }) => [uploadId, offset])).toEqual([
      [uploadIdOf(1), 0],
      [uploadIdOf(2), 0],
    ])
  },
)

test('another user of the browser does not continue it', async () => {
  tus.hold()
  const first = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  tus.onPart(() => null)
  await start(fileOf(), 'eve').ended
  expect(tus.parts()[1]?.uploadId).toBe(uploadIdOf(2))
  first.upload.cancel()
  await first.ended
})

test('if the last answer was lost, the video is asked for and nothing is sent again', async () => {
  tus.onPart((part) => cutAfter(part.size)(part))
  const { ended } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts()).toHaveLength(1)
})

test('a request in between gets a renewed token, once', async () => {
  resetPartBytes(TOTAL / 2)
  tus.onPart((_part, count) => (count === 2 ? refuse(401, 'unauthorized', 'Log in again.') : null))
  expect(await start().ended).toMatchObject(STORED)
  expect(tus.parts().map(({ authorization }) => authorization)).toEqual([
    'Bearer token 0',
    'Bearer token 0',
    'Bearer token 1',
  ])
  expect(refused).not.toHaveBeenCalled()
})

test('a twice refused token ends the session, and after a login the file continues', async () => {
  resetPartBytes(TOTAL / 2)
  tus.onPart((_part, count) => (count > 1 ? refuse(401, 'unauthorized', 'Log in again.') : null))
  expect(await start().ended).toMatchObject({ kind: 'failed', error: { code: 'unauthorized' } })
  expect(refused).toHaveBeenCalledOnce()
  tus.onPart(() => null)
  expect(await start().ended).toMatchObject(STORED)
  expect(tus.parts().at(-1)?.offset).toBe(TOTAL / 2)
})

test('a 401 of something in between is named, and ends no session', async () => {
  tus.onPart(() => ({ status: 401, body: '<h1>401 Authorization Required</h1>' }))
  expect(await start().ended).toMatchObject({
    kind: 'failed',
    error: {
      code: null,
      message: expect.stringContaining('asks for a log-in of its own (status 401)') as string,
    },
  })
  expect(refused).not.toHaveBeenCalled()
})

test('an upload that the server no longer has starts again and says so', async () => {
  tus.onPart((part, count) => {
    if (count > 1) return null
    cutAfter(400_000)(part)
    tus.uploads.delete(part.uploadId)
    return 'disconnected'
  })
  const { ended, notes } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset }) => offset)).toEqual([0, 0])
  expect(notes()).toContain(FROM_THE_START)
})

test.each([
  [413, 'too_large', 'Video file must be at most 4 GB'],
  [422, 'invalid', 'Please select a valid video file'],
  [429, 'too_many_requests', 'At most 100 uploads can be unfinished.'],
])('a refusal with %i ends it with the words of the server', async (status, code, message) => {
  tus.onOther((method) => (method === 'POST' ? refuse(status, code, message) : null))
  expect(await start().ended).toMatchObject({ kind: 'failed', error: { message } })
})

test('a server that says later is asked again, and its words are shown', async () => {
  tus.onPart((_part, count) => (count < 4 ? refuse(503, 'unavailable', 'The disk is full.') : null))
  const { ended, seen } = start()
  expect(await ended).toMatchObject(STORED)
  expect(seen).toContainEqual(expect.objectContaining({ phase: 'waiting', note: 'The disk is full.' }))
})

test('a proxy that refuses large bodies gets smaller ones, from then on for every upload', async () => {
  const LARGE = 300_000
  resetPartBytes(TOTAL)
  tus.onPart(({ size }) => (size > LARGE ? { status: 413, body: '<html>nginx</html>' } : null))
  expect(await start().ended).toMatchObject(STORED)
  const refusedParts = tus.parts().filter(({ size }) => size > LARGE)
  expect(refusedParts).toHaveLength(1)
  await start(fileOf('b')).ended
  expect(tus.parts().filter(({ size }) => size > LARGE)).toHaveLength(1)
})

const PROXY = '<html>nginx</html>'
test.each([
  ['closes the connection', 'disconnected' as const],
  ['says that it timed out (408)', { status: 408, body: PROXY }],
  ['says that it timed out (504)', { status: 504, body: PROXY }],
  ['says that something is broken', { status: 502, body: PROXY }],
  ['refuses', { status: 413, body: PROXY }],
])('a proxy that %s where parts are large gets smaller ones, and that is said', async (_what, answer) => {
  const LARGE = 70_000
  resetPartBytes(TOTAL)
  const smallest = 262_144
  tus.onPart(({ size, offset }) => (offset < 500_000 && size > smallest + LARGE ? answer : null))
  const { ended, notes } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset, size }) => [offset, size])).toEqual([
    [0, TOTAL],
    [0, smallest],
    [smallest, smallest],
    [2 * smallest, smallest],
    [3 * smallest, TOTAL - 3 * smallest],
  ])
  expect(notes()).toContain(SENT_SMALLER)
  await start(fileOf('b')).ended
  expect(tus.parts()[5]).toMatchObject({ offset: 0, size: smallest })
})

test('a part that a proxy keeps to itself until it is given up is followed by a smaller one', async () => {
  resetPartBytes(TOTAL)
  Object.assign(TIMING, { stalledMs: 20, reconnectMs: 60 })
  tus.onPart(({ size, report }) => {
    if (size < TOTAL) return null
    report(TOTAL / 2)
    return new Promise(() => undefined)
  })
  const { ended, notes } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ size }) => size)).toEqual([TOTAL, 262_144, 262_144, 262_144, 213_568])
  expect(notes()).toContain(SENT_SMALLER)
})

test('where even small parts are cut off it says so, and goes on trying', async () => {
  resetPartBytes(1000)
  tus.onPart((_part, count) => (count < 5 ? 'disconnected' : null))
  const { ended, seen } = start()
  expect(await ended).toMatchObject(STORED)
  expect(seen).toContainEqual(expect.objectContaining({ phase: 'waiting', note: SMALL_CUT_OFF }))
})

test('parts stay as large where some of one arrives, the server is away or says what is wrong', async () => {
  resetPartBytes(500_000)
  tus.onPart((part, count) => {
    if (count === 1) return cutAfter(100_000)(part)
    if (count === 2) return refuse(503, 'unavailable', 'The disk is full.')
    return null
  })
  let asked = 0
  tus.onOther((method) => (method === 'GET' && ++asked < 4 ? 'disconnected' : null))
  const { ended, notes } = start()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset, size }) => [offset, size])).toEqual([
    [0, 500_000],
    [100_000, 500_000],
    [100_000, 500_000],
    [600_000, 400_000],
  ])
  expect(notes()).not.toContain(SENT_SMALLER)
})

test('a proxy that refuses even small bodies is named', async () => {
  resetPartBytes(1000)
  tus.onPart(() => ({ status: 413, body: '' }))
  expect(await start().ended).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringMatching(/^A proxy between this page and the server/) as string },
  })
})

test('a paused upload sends nothing until it is continued', async () => {
  const release = tus.hold()
  const { ended, upload, last } = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  tus.parts()[0]?.arrive(300_000)
  upload.pause()
  await waitFor(() => expect(last()?.phase).toBe('paused'))
  release()
  const before = tus.requests().length
  window.dispatchEvent(new Event('online'))
  await new Promise((later) => setTimeout(later, 50))
  expect(tus.requests()).toHaveLength(before)
  tus.onPart(() => null)
  upload.resume()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset }) => offset)).toEqual([0, 300_000])
})

/** The first part stands still once so much is reported and has arrived; `giveUp` has its connection replaced. */
function standStill(bytes: { reported: number; arrived: number }) {
  TIMING.stalledMs = 50
  tus.onPart((part, count) => {
    if (count > 1) {
      TIMING.reconnectMs = 60_000
      return null
    }
    part.report(bytes.reported)
    part.arrive(bytes.arrived)
    return new Promise(() => undefined)
  })
  return { giveUp: () => (TIMING.reconnectMs = 300) }
}

test('a line on which nothing moves waits for the network, and is replaced by a new one', async () => {
  const line = standStill({ reported: 100_000, arrived: 100_000 })
  const { ended, last } = start()
  const progress = { sent: 100_000, total: TOTAL, leftS: null }
  await waitFor(() => expect(last()).toEqual({ phase: 'waiting', note: null, progress }))
  line.giveUp()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset }) => offset)).toEqual([0, 100_000])
})

test('bytes that are stuck in buffers on the way are not called arrived', async () => {
  const line = standStill({ reported: TOTAL, arrived: 400_000 })
  const { ended, notes } = start()
  await waitFor(() => expect(notes()).toContain('600 kB are still on their way.'))
  line.giveUp()
  expect(await ended).toMatchObject(STORED)
  expect(tus.parts().map(({ offset }) => offset)).toEqual([0, 400_000])
})

test('the browser coming online ends the wait at once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(2000)
  tus.onPart((part, count) => (count === 1 ? cutAfter(1000)(part) : null))
  const { ended, last } = start()
  await waitFor(() => expect(last()?.phase).toBe('waiting'))
  window.dispatchEvent(new Event('online'))
  expect(await ended).toMatchObject(STORED)
})

test('a cancelled upload is deleted from the server', async () => {
  tus.hold()
  const { ended, upload } = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  upload.cancel()
  expect(await ended).toEqual({ kind: 'cancelled', arrived: 'nothing' })
  expect([tus.uploads.size, localStorage.getItem(`uploads ${UID}`)]).toEqual([0, null])
})

test('a cancellation says what is known where the server cannot be reached', async () => {
  tus.hold()
  const { ended, upload } = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  tus.onOther(() => 'disconnected')
  upload.cancel()
  expect(await ended).toEqual({ kind: 'cancelled', arrived: 'parts' })
})

test('a cancellation after everything arrived finds the video', async () => {
  const held = Promise.withResolvers<null>()
  tus.onPart((part) => {
    part.report(part.size)
    return held.promise
  })
  const { ended, upload, last } = start()
  await waitFor(() => expect(last()?.progress.sent).toBe(TOTAL))
  const stored = tus.uploads.get(uploadIdOf(1))
  if (stored) Object.assign(stored, { offset: TOTAL, video: Video.parse(video({ video_id: 7 })) })
  upload.cancel()
  expect(await ended).toEqual({ kind: 'cancelled', arrived: 'stored' })
})

test('a second tab with the same file takes over, and both get the one video', async () => {
  const release = tus.hold()
  const first = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  tus.parts()[0]?.arrive(250_000)
  const second = start()
  await waitFor(() => expect(first.last()?.phase).toBe('elsewhere'))
  release()
  expect(await Promise.all([first.ended, second.ended])).toMatchObject([STORED, STORED])
  expect(tus.parts().map(({ uploadId, offset }) => [uploadId, offset])).toEqual([
    [uploadIdOf(1), 0],
    [uploadIdOf(1), 250_000],
  ])
})

test('a tab that another device displaced watches it, and takes over where that stands still', async () => {
  Object.assign(TIMING, { takeOverMs: 50 })
  tus.onPart((_part, count) => (count === 1 ? refuse(423, 'locked', 'Over another connection.') : null))
  const { ended, seen } = start()
  expect(await ended).toMatchObject(STORED)
  expect(seen.map(({ phase }) => phase)).toContain('elsewhere')
})

test('an upload that is cancelled in another tab ends here too', async () => {
  tus.hold()
  const first = start()
  await waitFor(() => expect(tus.parts()).toHaveLength(1))
  const second = start()
  await waitFor(() => expect(first.last()?.phase).toBe('elsewhere'))
  second.upload.cancel()
  expect(await second.ended).toEqual({ kind: 'cancelled', arrived: 'nothing' })
  expect(await first.ended).toEqual({ kind: 'cancelled', arrived: 'cancelled elsewhere' })
})

test('a file that was changed or removed since ends with what to do', async () => {
  const file = fileOf()
  tus.onPart((part) => {
    Object.assign(file, {
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }),
    })
    return cutAfter(10)(part)
  })
  expect(await start(file).ended).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringMatching(/^The file can't be read any more/) as string },
  })
})
