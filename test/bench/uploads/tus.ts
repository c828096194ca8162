/**
 * How fast a part of a tus upload comes in, and what it costs in memory, beside the floor: the bare library with a store that writes,
 * hashes and syncs at its end, in the same run. `npm run bench -- tus [bytes] [runs]`
 *
 * One byte of each upload is missing, so that none is read as a video.
 */
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { DataStore, Server, type Upload } from '@tus/server'
import fastify from 'fastify'
import { pino } from 'pino'
import { User } from '#contract/users.ts'
import { openDb } from '#base/db/open.ts'
import { watchBodies } from '#server/http/request-bodies.ts'
import { createUploadLimit } from '#server/http/upload-limit.ts'
import { createUserLimit } from '#server/http/user-limit.ts'
import { openDisk } from '#server/storage/disk.ts'
import { createUploadLocks } from '#server/uploads/locks.ts'
import { mountTus } from '#server/uploads/tus-routes.ts'
import { createFactsReader } from '#server/videos/facts.ts'
import { createTestDatabase, startTestDatabases } from '../../support/database/test-database.ts'
import { compareUploads, sendRequest, serveBench, writeBytes, writeHashed } from './compare-uploads.ts'

class PlainStore extends DataStore {
  readonly #folder: string
  readonly #known = new Map<string, Upload>()

  constructor(folder: string) {
    super()
    this.#folder = folder
    this.extensions = ['creation']
  }

  override async create(created: Upload): Promise<Upload> {
    this.#known.set(created.id, created)
    return created
  }

  override async getUpload(id: string): Promise<Upload> {
    const known = this.#known.get(id)
    if (!known) throw new Error('unknown')
    return known
  }

  override async write(body: Readable, id: string): Promise<number> {
    const { size } = await writeHashed(body, path.join(this.#folder, id))
    return size
  }
}

const [role, dir] = process.argv.slice(2)
if (role === 'ours') await serveOurs(dir ?? tmpdir())
else if (role === 'floor') serveFloor(dir ?? tmpdir())
else await measure(Number(role ?? 1_000_000_000), Number(dir ?? 5))

async function measure(bytes: number, runs: number): Promise<void> {
  const stop = await startTestDatabases()
  const database = await createTestDatabase()
  try {
    const program = fileURLToPath(import.meta.url)
    await compareUploads({
      name: 'tus',
      floor: 'Floor: bare @tus/server with a store that writes, hashes and syncs.',
      program,
      env: { DATABASE_URL: database.url },
      bytes,
      runs,
      upload,
    })
  } finally {
    await database.drop()
    await stop()
  }
}

async function upload(port: number, bytes: number): Promise<void> {
  const all = { authorization: 'Bearer bench', 'tus-resumable': '1.0.0' }
  const created = await sendRequest({
    port,
    method: 'POST',
    path: '/uploads',
    headers: { ...all, 'upload-length': bytes + 1 },
  })
  const id = created.response.headers.location?.split('/').at(-1)
  const { response, body } = await sendRequest(
    {
      port,
      method: 'PATCH',
      path: `/uploads/${id}`,
      headers: {
        ...all,
        'content-type': 'application/offset+octet-stream',
        'content-length': bytes,
        'upload-offset': 0,
      },
    },
    (call) => writeBytes(call, bytes),
  )
  if (response.headers['upload-offset'] !== String(bytes)) throw new Error(`${response.statusCode}: ${body}`)
}

/** The product's own routes; only who the user is stands firm. */
async function serveOurs(folder: string): Promise<void> {
  const url = process.env['DATABASE_URL'] ?? ''
  const db = openDb(url)
  const row = await db
    .insertInto('users')
    .values({
      uid: randomBytes(8).toString('hex'),
      email: 'bench@example.com',
      nickname: 'Bench',
      timezone: 'UTC',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const user = User.parse({ ...row, created_at: row.created_at.toISOString() })
  const storage = await openDisk(folder)
  const app = fastify({ requestTimeout: 0 })
  watchBodies(app)
  await mountTus(app, {
    db,
    storage,
    facts: createFactsReader(storage, async () => true),
    quotaBytes: null,
    now: Date.now,
    authenticate: async () => user,
    uploadLimit: createUploadLimit(),
    userLimit: createUserLimit(),
    uploadLocks: createUploadLocks(url, pino({ level: 'warn' })),
  })
  serveBench(await app.listen({ port: 0, host: '127.0.0.1' }))
}

function serveFloor(folder: string): void {
  const server = new Server({ path: '/uploads', datastore: new PlainStore(folder) }).listen(
    0,
    '127.0.0.1',
    () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) serveBench(`http://127.0.0.1:${address.port}`)
    },
  )
}
