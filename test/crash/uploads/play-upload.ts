import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDisk } from '#server/storage/disk.ts'
import { COMPILED } from '../../support/program.ts'
import { createTestDatabase } from '../../support/database/test-database.ts'
import { throwDice } from '../scenario/dice.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { signUp, type Person } from '../../support/test-server.ts'
import { createUpload, sendTus } from '../../support/uploads.ts'
import { bigVideo, type BigVideo } from './big-video.ts'
import { startWeb } from './web-process.ts'

export type RunResult = {
  /** A sentence for each problem. */
  readonly broken: readonly string[]
  readonly kills: number
  /** The server's offset after each kill. */
  readonly offsets: readonly number[]
  readonly seconds: number
}

type Options = { readonly bytes: number; readonly kills: number; readonly seed: number }

/** Sends one video through many SIGKILLs of its server, and checks the stored file. */
export async function playUpload(options: Options): Promise<RunResult> {
  const began = performance.now()
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-uploads-'))
  const [database, port] = await Promise.all([createTestDatabase(), freePort()])
  const env = {
    PORT: String(port),
    DATA_DIR: dir,
    DATABASE_URL: database.url,
    SECRET_KEY: 'a'.repeat(64),
    LOG_LEVEL: 'error',
    ...COMPILED,
  }
  let web = await startWeb(env)
  try {
    const video = bigVideo(options.bytes)
    const someone = await signUp({ url: `http://127.0.0.1:${port}` })
    const id = await createUpload(someone, video.size)
    const broken: string[] = []
    const offsets: number[] = []
    for (const kill of [...drawKills(options), null]) {
      const offset = await readOffset(someone, id)
      if (offset < (offsets.at(-1) ?? 0)) broken.push(`bytes were lost: ${offsets.at(-1)}, then ${offset}`)
      offsets.push(offset)
      const line = openLine({ video, someone, port, id, offset, mark: kill?.at ?? video.size })
      if (kill === null) {
        const status = await line.answered
        if (status !== 204) broken.push(`the last part was answered with ${status}`)
      } else {
        await line.reached
        await pause(kill.laterMs)
      }
      if (kill === null) break
      await web.kill()
      await line.ended
      web = await startWeb(env)
    }
    broken.push(...(await checkStored(someone, { id, dir, video })))
    return { broken, kills: options.kills, offsets, seconds: (performance.now() - began) / 1000 }
  } finally {
    await web.kill()
    await database.drop()
    await rm(dir, { recursive: true, force: true })
  }
}

/** The kill comes `laterMs` after the client has written `at` bytes. */
type Kill = { readonly at: number; readonly laterMs: number }

/** Spread over the file; the last two while its end is synced, renamed, read and recorded. */
function drawKills({ bytes, kills, seed }: Options): Kill[] {
  const dice = throwDice(seed)
  const underWay = Math.max(0, kills - 2)
  return Array.from({ length: kills }, (_, index) =>
    index < underWay
      ? { at: Math.floor(((index + dice.int(1000) / 1000) * bytes) / underWay), laterMs: 0 }
      : { at: bytes, laterMs: dice.int(300) },
  )
}

async function readOffset(someone: Person, id: string): Promise<number> {
  const { status, headers } = await sendTus(someone, 'HEAD', `/${id}`)
  if (status !== 200) throw new Error(`HEAD answered ${status}`)
  return Number(headers.get('upload-offset'))
}

type PatchPart = {
  readonly video: BigVideo
  readonly someone: Person
  readonly port: number
  readonly id: string
  readonly offset: number
  readonly mark: number
}

/** A PATCH of everything from `offset` on, over a connection that may break at any moment. */
function openLine({ video, someone, port, id, offset, mark }: PatchPart) {
  let written = offset
  const reached = Promise.withResolvers<void>()
  const call = request({
    port,
    host: '127.0.0.1',
    method: 'PATCH',
    path: `/api/v1/uploads/${id}`,
    agent: false,
    headers: {
      authorization: `Bearer ${someone.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': video.size - offset,
    },
  })
  const ended = new Promise<null>((resolve) => call.once('close', () => resolve(null)))
  const answer = new Promise<number>((resolve) =>
    call.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }),
  )
  call.on('error', () => {})
  const send = async () => {
    while (written < video.size && !call.destroyed) {
      const piece = video.read(written)
      written += piece.length
      if (written >= mark) reached.resolve()
      if (!call.write(piece))
        await Promise.race([new Promise((resolve) => call.once('drain', resolve)), ended])
    }
    call.end()
  }
  if (written >= mark) reached.resolve()
  void send()
  return {
    ended,
    /** The status; null: the connection was lost. */
    answered: Promise.race([answer, ended]),
    /** `mark` bytes were written, or the connection was lost. */
    reached: Promise.race([reached.promise, ended]),
  }
}

type StoredUpload = { readonly id: string; readonly dir: string; readonly video: BigVideo }

async function checkStored(someone: Person, { id, dir, video }: StoredUpload): Promise<string[]> {
  const sha256 = await video.sha256()
  const upload = await someone.call('getUpload', { params: { uploadId: id } })
  const { videos } = await someone.call('listVideos')
  const storage = await openDisk(path.join(dir, 'media'))
  const files = await Array.fromAsync(storage.list())
  const hash = createHash('sha256')
  for (const { key } of files)
    for await (const bytes of await storage.read(key, 0, video.size - 1)) hash.update(bytes as Buffer)
  return [
    upload.video?.sha256 === sha256 ? [] : [`the video's SHA-256 is ${upload.video?.sha256}, not ${sha256}`],
    hash.digest('hex') === sha256 ? [] : ['the stored file has other bytes'],
    files.length === 1 ? [] : [`${files.length} files are stored`],
    videos.length === 1 ? [] : [`there are ${videos.length} videos`],
  ].flat()
}
