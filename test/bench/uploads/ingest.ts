/**
 * How fast a form's video comes in, and what it costs in memory, beside the floor: bare `@fastify/multipart` into SHA-256 into a
 * file that is synced at its end, in the same run. `npm run bench -- ingest [bytes] [runs]`
 */
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import multipart from '@fastify/multipart'
import fastify from 'fastify'
import { API } from '#contract/api/api.ts'
import { receiveForm } from '#server/http/form.ts'
import { openDisk } from '#server/storage/disk.ts'
import {
  compareUploads,
  sendRequest,
  serveBench,
  writeBytes,
  writeHashed,
  type Kind,
} from './compare-uploads.ts'

const [role, dir] = process.argv.slice(2)
if (role === 'ours' || role === 'floor') await serve(role, dir ?? tmpdir())
else
  await compareUploads({
    name: 'ingest',
    floor: 'Floor: bare @fastify/multipart that writes, hashes and syncs.',
    program: fileURLToPath(import.meta.url),
    bytes: Number(role ?? 1_000_000_000),
    runs: Number(dir ?? 5),
    upload,
  })

async function upload(port: number, bytes: number): Promise<void> {
  const head = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n',
  )
  const tail = Buffer.from('\r\n--b--\r\n')
  const headers = {
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': head.length + bytes + tail.length,
  }
  const { response, body } = await sendRequest(
    { port, method: 'POST', path: '/videos', headers },
    async (call) => {
      call.write(head)
      await writeBytes(call, bytes)
      call.write(tail)
    },
  )
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`)
  const { size } = JSON.parse(body) as { size: number } // our own server below
  if (size !== bytes) throw new Error(`${size} of ${bytes} bytes came in`)
}

async function serve(kind: Kind, folder: string): Promise<void> {
  const app = fastify({ requestTimeout: 0 })
  await app.register(multipart)
  if (kind === 'ours') {
    const deps = { storage: await openDisk(folder), isKept: async () => true }
    app.post('/videos', (call) => receiveForm(call, API.uploadVideo, deps, async ({ file }) => file))
  } else {
    app.post('/videos', async (call) => {
      const part = await call.file({ limits: { fileSize: Number.POSITIVE_INFINITY } })
      if (!part) throw new Error('no file')
      return writeHashed(part.file, path.join(folder, String(performance.now())))
    })
  }
  serveBench(await app.listen({ port: 0, host: '127.0.0.1' }))
}
