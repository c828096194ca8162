import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { initial, type DeliveryEvent, type DeliveryState, type Session } from '#domain/delivery/state.ts'
import { step } from '#domain/delivery/step.ts'
import { eventOfCheck, eventOfCommit, eventOfOpen, eventOfSend } from '../kit/events.ts'
import type { Platform, PublishJob } from '../kit/platform.ts'
import { listening, type ScriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { configAt, jobOf, NOW } from './testing.ts'

const UNIT = 262_144
const VIDEO_ID = 'dQw4w9WgXcQ'

let server: ScriptedServer
afterEach(() => server.close())

/** Deterministic, so that a failure can be reproduced. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A resumable upload by the guide's words, on a line that breaks: whole units of a cut body stay, a finished upload repeats its answer. */
async function startUploads(random: () => number, trouble: number) {
  let stored = Buffer.alloc(0)
  const finished: string[] = []
  const answerTo = (request: IncomingMessage, response: ServerResponse, body: Buffer, isCut: boolean) => {
    const say = (status: number, headers: Record<string, string> = {}, text = '') => {
      if (isCut) return request.socket.destroy()
      // The answer is lost, whatever it would have been.
      if (random() < trouble) return random() < 0.5 ? request.socket.destroy() : response.writeHead(503).end()
      return response.writeHead(status, headers).end(text)
    }
    if (request.method === 'POST') {
      stored = Buffer.alloc(0)
      return say(200, { location: `http://${request.headers.host}/upload?upload_id=1` })
    }
    if (request.url?.startsWith('/youtube/v3/videos')) {
      const items = [{ id: VIDEO_ID, status: { uploadStatus: 'processed' } }]
      return say(200, {}, JSON.stringify({ items }))
    }
    const [, range = '', total = ''] =
      /^bytes (\S+)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? []
    const video = JSON.stringify({ id: VIDEO_ID })
    if (finished.length > 0) return say(201, {}, video)
    const first = Number(range.split('-')[0])
    if (range !== '*' && first === stored.length) {
      const isLast = first + body.length === Number(total)
      const kept = isLast ? body.length : body.length - (body.length % UNIT)
      stored = Buffer.concat([stored, body.subarray(0, kept)])
      if (isLast) {
        finished.push(createHash('sha256').update(stored).digest('hex'))
        return say(201, {}, video)
      }
    }
    return say(308, stored.length > 0 ? { range: `bytes=0-${stored.length - 1}` } : {})
  }
  server = await listening([], (request, response) => {
    const parts: Buffer[] = []
    let left = random() < trouble ? random() * 3_000_000 : Infinity
    request.on('error', () => undefined)
    request.on('data', (part: Buffer) => {
      if (left <= 0) return
      parts.push(part)
      left -= part.length
      if (left <= 0) answerTo(request, response, Buffer.concat(parts), true)
    })
    request.on('end', () => {
      if (left > 0) answerTo(request, response, Buffer.concat(parts), false)
    })
  })
  return finished
}

/** One move of a worker, which is killed now and then: what it was about to save is then lost. */
async function nextEvent(
  youtube: Platform,
  job: PublishJob,
  state: DeliveryState,
  report: (progress: { session: Session; sent: number }) => Promise<void>,
): Promise<DeliveryEvent | null> {
  switch (state.kind) {
    case 'scheduled':
      return { type: 'due' }
    case 'preparing':
      return state.session === null
        ? eventOfOpen(await youtube.open(job))
        : eventOfSend(await youtube.send(job, state.session, report))
    case 'committing':
      return eventOfCommit(await youtube.commit(job, state.session))
    case 'processing':
    case 'unconfirmed':
      return eventOfCheck(await youtube.check(job, state.session))
    case 'published':
    case 'failed':
    case 'in_inbox':
    case 'blocked':
    case 'cancelled':
      return null
  }
}

test.each(Array.from({ length: 24 }, (_, seed) => [seed]))(
  'a broken line and killed workers end in one whole video (%i)',
  async (seed) => {
    const random = dice(seed + 1)
    const bytes = Buffer.alloc(20_000_000 + Math.floor(random() * 2 * UNIT))
    for (let at = 0; at + 4 <= bytes.length; at += 4096) bytes.writeUInt32LE(at, at)
    const finished = await startUploads(random, 0.15)
    let now = NOW
    const youtube = createYouTube(configAt(server), () => now)
    const job = jobOf(bytes.length, {
      video: {
        ...jobOf(bytes.length).video,
        // Copies, since each is freed once it is sent.
        read: (first, last) => Promise.resolve(Readable.from([Buffer.from(bytes.subarray(first, last + 1))])),
      },
    })
    let state: DeliveryState = initial(now)
    for (let moves = 0; moves < 500; moves += 1) {
      const event = await nextEvent(youtube, job, state, ({ session, sent }) => {
        const moved = step(state, { type: 'progress', session, sent, waitS: 0 }, now)
        if ('to' in moved && random() < 0.7) state = JSON.parse(JSON.stringify(moved.to)) as DeliveryState // as the database does
        return Promise.resolve()
      })
      if (event === null) break
      // A kill before the save: a worker that finds `committing` did not make the call.
      const isKilled = random() < 0.15
      const taken = isKilled
        ? state.kind === 'committing'
          ? ({ type: 'interrupted' } as const)
          : null
        : event
      if (taken === null) continue
      const moved = step(state, taken, now)
      if ('refused' in moved) return expect.unreachable(moved.refused)
      state = JSON.parse(JSON.stringify(moved.to)) as DeliveryState // as the database does
      now = Math.max(now, moved.wakeAt ?? now)
    }
    expect(state).toMatchObject({ kind: 'published', postId: VIDEO_ID })
    expect(finished).toEqual([createHash('sha256').update(bytes).digest('hex')])
  },
)
