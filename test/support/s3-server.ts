import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createConnection, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import S3rver from '@20minutes/s3rver'
import type { S3Config } from '#server/storage/bucket.ts'
import { freePort } from './ports/free-port.ts'

export type TestS3 = {
  readonly config: Omit<S3Config, 'prefix' | 'endpoint'> & { readonly endpoint: string }
  /** What a process of ours needs to use it, beside `config`. */
  readonly env: Readonly<Record<string, string>>
  readonly client: S3Client
  /** The names of all objects with a prefix. */
  list(prefix: string): Promise<string[]>
  /** Takes no calls until `up`; what is stored stays. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

/** Set by `test/real-s3.sh`, with the keys: the address of a real S3 server. */
const REAL = process.env['S3_ENDPOINT']

/** A bucket of its own at a small S3 server, or at a real one; the keys stand in this process's environment too. */
export async function startS3(): Promise<TestS3> {
  const { AWS_ACCESS_KEY_ID = 'S3RVER', AWS_SECRET_ACCESS_KEY = 'S3RVER' } = process.env
  const env = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
  Object.assign(process.env, env)
  const port = await freePort()
  const server = REAL === undefined ? await startSmall(port) : await startProxy(port, new URL(REAL))
  const config = {
    bucket: `videos-${port}`,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    pathStyle: true,
    profile: null,
  }
  const { endpoint, region } = config
  const client = new S3Client({ endpoint, region, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: config.bucket }))
  return {
    config,
    env,
    client,
    async list(prefix) {
      const { Contents: objects = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: config.bucket, Prefix: prefix }),
      )
      return objects.map(({ Key: name = '' }) => name)
    },
    down: server.down,
    up: server.up,
    async stop() {
      client.destroy()
      await server.stop()
    },
  }
}

type Stoppable = Pick<TestS3, 'down' | 'up' | 'stop'>

async function startSmall(port: number): Promise<Stoppable> {
  const directory = await mkdtemp(path.join(tmpdir(), 'reelay-s3-'))
  const makeServer = () =>
    new S3rver({
      address: '127.0.0.1',
      port,
      directory,
      silent: true,
      // It signs an encoded slash in a query otherwise.
      allowMismatchedSignatures: true,
    })
  let server: S3rver
  const up = async () => {
    server = makeServer()
    await server.run()
  }
  await up()
  return {
    down: () => server.close(),
    up,
    async stop() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Passes everything on, so that a server that others use too can be away. */
async function startProxy(port: number, { hostname, port: to }: URL): Promise<Stoppable> {
  const open = new Set<Socket>()
  const server = createServer((from) => {
    const onward = createConnection(Number(to), hostname)
    for (const socket of [from, onward]) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          from.destroy()
          onward.destroy()
        })
    }
    from.pipe(onward).pipe(from)
  })
  const up = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const down = async () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  await up()
  return { down, up, stop: down }
}
