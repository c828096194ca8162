/**
 * The floor of `uploads`: bare `@fastify/multipart`, and the bare tus library with a store, that write, hash and sync. Is given a
 * folder, which it removes at its end.
 */
import { createHash } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import path from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import { DataStore, Server, type Upload } from '@tus/server'
import fastify from 'fastify'

const [folder = ''] = process.argv.slice(2)

class PlainStore extends DataStore {
  readonly #known = new Map<string, Upload>()
  override readonly extensions = ['creation']

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
    return (await writeHashed(body, id)).size
  }
}

async function writeHashed(body: Readable, name: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(body, hashing, createWriteStream(path.join(folder, name), { flush: true }))
  return { size, sha256: hash.digest('hex') }
}

const app = fastify({ requestTimeout: 0 })
await app.register(multipart)
app.post('/videos', async (call) => {
  const part = await call.file({ limits: { fileSize: Infinity } })
  if (!part) throw new Error('no file')
  return writeHashed(part.file, String(performance.now()))
})
const tus = new Server({ path: '/uploads', datastore: new PlainStore() })
app.addContentTypeParser('application/offset+octet-stream', (_call, _body, done) => done(null))
for (const address of ['/uploads', '/uploads/*'])
  app.all(address, (call, reply) => {
    reply.hijack()
    void tus.handle(call.raw, reply.raw)
  })
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.once('disconnect', () => process.exit())
process.once('SIGTERM', () => process.exit())
process.once('exit', () => rmSync(folder, { recursive: true }))
process.send?.(Number(new URL(address).port))
