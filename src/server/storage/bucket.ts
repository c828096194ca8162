import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchBucket,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Problem } from '#base/problem.ts'
import { systemCode } from '#base/system-error.ts'

export type S3Config = {
  readonly bucket: string
  /** Before every name, with its slash at the end; empty: none. */
  readonly prefix: string
  /** null: Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  /** The bucket is named in the path instead of the host. */
  readonly pathStyle: boolean
  /** The section of Amazon's credentials file that has the keys. null: the usual ones. */
  readonly profile: string | null
}

/** The objects below a prefix, named without it. All calls reject with the Problem unavailable while the server does not answer. */
export type Bucket = {
  readonly client: S3Client
  readonly at: (name: string) => { readonly Bucket: string; readonly Key: string }
  readonly write: (name: string, body: Buffer) => Promise<void>
  /** null: there is none. */
  readonly read: (name: string) => Promise<Buffer | null>
  readonly remove: (name: string) => Promise<void>
  /** Lists the objects of a folder. Times are epoch ms. */
  readonly names: (folder: string) => AsyncIterable<{ readonly name: string; readonly storedAt: number }>
}

/** For the answer to a call with a part of 8 MiB, over a slow line. */
const ANSWER_MS = 120_000

/** More than the platforms' calls, uploads and players that read at once. */
const SOCKETS = 500

export function openBucket({ bucket, prefix, endpoint, region, pathStyle, profile }: S3Config): Bucket {
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(profile !== null && { profile }),
    // Others than Amazon may not know its newer checksums; the signature covers what is sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5000,
      requestTimeout: ANSWER_MS,
      // Also while a body is read: one that stalls ends, and its reader asks again.
      socketTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS },
      httpsAgent: { maxSockets: SOCKETS },
    },
  })
  // Around its own retries.
  client.middlewareStack.add(
    (next) => (sent) =>
      next(sent).catch((error: unknown) => {
        throw isOutage(error)
          ? new Problem('unavailable', NO_ANSWER, { retryAfterS: 5, cause: error })
          : error
      }),
    { step: 'initialize', priority: 'high' },
  )
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + name })
  return {
    client,
    at,
    async write(name, body) {
      await client.send(new PutObjectCommand({ ...at(name), Body: body }))
    },
    async read(name) {
      const found = await orNull(client.send(new GetObjectCommand(at(name))))
      return found === null ? null : buffer(found.Body as Readable) // in Node it is one
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(at(name)))
    },
    async *names(folder) {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${prefix}${folder}/` })
      for await (const { Contents: objects = [] } of pages)
        for (const { Key: name = '', LastModified: storedAt } of objects)
          yield { name: name.slice(prefix.length), storedAt: storedAt?.getTime() ?? 0 }
    },
  }
}

const NO_ANSWER = "The server's storage doesn't answer. Try again in a moment."

/** It answers nothing, or that it cannot answer now. */
const isOutage = (error: unknown): boolean => {
  const status = statusOf(error)
  if (status !== undefined) return status >= 500 && status !== 501
  return systemCode(error) !== null || (error instanceof Error && error.name === 'TimeoutError')
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined

export const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && !(error instanceof NoSuchBucket)

export const orNull = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
