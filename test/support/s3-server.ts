import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import S3rver from '@20minutes/s3rver'
import type { S3Config } from '#server/storage/s3.ts'
import { freePort } from './ports/free-port.ts'

export type TestS3 = {
  readonly config: Omit<S3Config, 'prefix'>
  /** The names of all objects with a prefix. */
  list(prefix: string): Promise<string[]>
  /** Takes no calls until `up`; what is stored stays. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

/** A small S3 server with one bucket; its keys stand in this process's environment. */
export async function startS3(): Promise<TestS3> {
  process.env['AWS_ACCESS_KEY_ID'] = process.env['AWS_SECRET_ACCESS_KEY'] = 'S3RVER'
  const directory = await mkdtemp(path.join(tmpdir(), 'reelay-s3-'))
  const port = await freePort()
  const config = {
    bucket: 'videos',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    pathStyle: true,
  }
  const makeServer = () =>
    new S3rver({
      address: '127.0.0.1',
      port,
      directory,
      silent: true,
      // It signs an encoded slash in a query otherwise.
      allowMismatchedSignatures: true,
      configureBuckets: [{ name: config.bucket }],
    })
  let server = makeServer()
  await server.run()
  const client = new S3Client({ ...config, forcePathStyle: true })
  return {
    config,
    async list(prefix) {
      const { Contents: objects = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: config.bucket, Prefix: prefix }),
      )
      return objects.map(({ Key: name = '' }) => name)
    },
    down: () => server.close(),
    async up() {
      server = makeServer()
      await server.run()
    },
    async stop() {
      client.destroy()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
