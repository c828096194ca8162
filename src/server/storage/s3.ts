import { createHash } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { z } from 'zod'
import { isMissing, openBucket, orNull, statusOf, type S3Config } from './bucket.ts'
import { isKey, newKey } from './disk-files.ts'
import { createRunningHashes } from './running-hashes.ts'
import { NotStored, TooLarge, type Storage, type StoredObject } from './storage.ts'

/** "All parts except the last one must be at least 5 MB" (Amazon S3, multipart upload limits); 10,000 parts are allowed. */
const PART_BYTES = 8_388_608

/** A piece without a record for this long is abandoned, whichever process wrote it. */
const ABANDONED_MS = 3_600_000

/**
 * An unfinished file, as `partial/KEY` holds it: its multipart upload once it has a part, what each part has, and the objects with the
 * bytes behind the last whole part. Each of these pieces is at least twice as long as the next.
 */
const Unfinished = z.object({
  uploadId: z.string().nullable(),
  parts: z.array(z.object({ etag: z.string(), bytes: z.int() })),
  pieces: z.array(z.object({ name: z.string(), bytes: z.int() })),
})
type Unfinished = z.infer<typeof Unfinished>

const EMPTY: Unfinished = { uploadId: null, parts: [], pieces: [] }

const countBytes = (stored: readonly { readonly bytes: number }[]): number =>
  stored.reduce((sum, { bytes }) => sum + bytes, 0)

const sizeOf = ({ parts, pieces }: Unfinished): number => countBytes(parts) + countBytes(pieces)

const fileName = (key: string) => `files/${key}`
const recordName = (key: string) => `partial/${key}`

/**
 * Stores finished files under `files/`, and what has arrived of others under `partial/`. It asks for no more than the calls that every
 * S3 has: a record of its own says what was stored, since some list neither parts nor multipart uploads.
 */
export function openS3(config: S3Config): Storage {
  const { client, at, write, remove, read: readWhole, names } = openBucket(config)
  const hashes = createRunningHashes()

  async function readRecord(key: string): Promise<Unfinished | null> {
    const found = isKey(key) ? await readWhole(recordName(key)) : null
    return found === null ? null : Unfinished.parse(JSON.parse(String(found)))
  }

  /** Never leaves one out: a storage may show an older record for a while. */
  async function readPieces(key: string, pieces: Unfinished['pieces']): Promise<Buffer[]> {
    const contents: Buffer[] = []
    for (const { name, bytes } of pieces) {
      const found = await readWhole(name)
      if (found?.length !== bytes) throw new Error(`What ${key} ends with is not there`)
      contents.push(found)
    }
    return contents
  }

  const writeRecord = (key: string, record: Unfinished) =>
    write(recordName(key), Buffer.from(JSON.stringify(record)))

  /** Stores the next part, which begins with the pieces, and then says so. */
  async function addPart(key: string, record: Unfinished, more: readonly Buffer[]): Promise<Unfinished> {
    const body = Buffer.concat([...(await readPieces(key, record.pieces)), ...more])
    const file = at(fileName(key))
    const uploadId =
      record.uploadId ?? (await client.send(new CreateMultipartUploadCommand(file))).UploadId ?? null
    if (uploadId === null) throw new Error('The storage began a multipart upload without an id')
    const { ETag: etag } = await client.send(
      new UploadPartCommand({
        ...file,
        UploadId: uploadId,
        PartNumber: record.parts.length + 1,
        Body: body,
      }),
    )
    if (etag === undefined) throw new Error('The storage took a part without an etag')
    const next = { uploadId, parts: [...record.parts, { etag, bytes: body.length }], pieces: [] }
    await writeRecord(key, next)
    return next
  }

  /** Stores bytes behind the last whole part, joined with the pieces that are not twice as long. */
  async function addPiece(key: string, record: Unfinished, more: readonly Buffer[]): Promise<Unfinished> {
    let bytes = more.reduce((sum, { length }) => sum + length, 0)
    const kept = [...record.pieces]
    const joined: Unfinished['pieces'] = []
    for (let last = kept.at(-1); last !== undefined && last.bytes < 2 * bytes; last = kept.at(-1)) {
      kept.pop()
      joined.unshift(last)
      bytes += last.bytes
    }
    const body = Buffer.concat([...(await readPieces(key, joined)), ...more])
    // Each has a name of its own, so that the record never speaks of another one.
    const name = `${recordName(key)}.${newKey()}`
    await write(name, body)
    const next = { ...record, pieces: [...kept, { name, bytes }] }
    await writeRecord(key, next)
    return next
  }

  async function removePieces(pieces: Unfinished['pieces']): Promise<void> {
    for (const { name } of pieces) await remove(name)
  }

  const parts: Storage['parts'] = {
    async begin() {
      const key = newKey()
      await writeRecord(key, EMPTY)
      return key
    },

    async append(key, body, { offset, maxBytes }) {
      const before = await readRecord(key)
      if (before === null) throw new NotStored(key)
      if (sizeOf(before) !== offset) throw new Error(`${key} has ${sizeOf(before)} bytes, not ${offset}`)
      const hash = hashes.take(key, offset)
      let record = before
      let size = offset
      let waiting: Buffer[] = []
      let bytes = countBytes(before.pieces)
      const send = async () => {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          if (size + chunk.length > maxBytes) throw new TooLarge(maxBytes)
          hash?.update(chunk)
          size += chunk.length
          waiting.push(chunk)
          bytes += chunk.length
          if (bytes < PART_BYTES) continue
          record = await addPart(key, record, waiting)
          waiting = []
          bytes = 0
        }
      }
      // A failure waits until what has arrived is stored.
      const [end] = await Promise.allSettled([send()])
      if (size > offset && waiting.length > 0) record = await addPiece(key, record, waiting)
      await removePieces(before.pieces.filter((piece) => !record.pieces.includes(piece)))
      if (hash !== null) hashes.put(key, hash, size)
      if (end.status === 'rejected') throw end.reason
      return size
    },

    async size(key) {
      const record = await readRecord(key)
      return record === null ? ((await stat(key))?.size ?? null) : sizeOf(record)
    },

    async complete(key) {
      const record = await readRecord(key)
      if (record !== null) await finish(key, record)
      const found = await stat(key)
      if (found === null) throw new NotStored(key)
      const known = hashes.digest(key, found.size)
      return { key, size: found.size, sha256: known ?? (await hashFile(key)) } satisfies StoredObject
    },
  }

  async function finish(key: string, record: Unfinished): Promise<void> {
    // It is whole already where an answer was lost, a process was killed behind that, or another one was faster.
    if ((await stat(key)) === null)
      await putTogether(key, record).catch(async (error: unknown) => {
        if ((await stat(key)) === null) throw error
      })
    await removePieces(record.pieces)
    await remove(recordName(key))
  }

  async function putTogether(key: string, record: Unfinished): Promise<void> {
    if (record.uploadId === null) {
      await write(fileName(key), Buffer.concat(await readPieces(key, record.pieces)))
      return
    }
    const whole = record.pieces.length === 0 ? record : await addPart(key, record, [])
    const list = whole.parts.map(({ etag }, nth) => ({ ETag: etag, PartNumber: nth + 1 }))
    await client.send(
      new CompleteMultipartUploadCommand({
        ...at(fileName(key)),
        UploadId: record.uploadId,
        MultipartUpload: { Parts: list },
      }),
    )
  }

  async function stat(key: string): Promise<{ size: number } | null> {
    if (!isKey(key)) return null
    const found = await orNull(client.send(new HeadObjectCommand(at(fileName(key)))))
    return found === null ? null : { size: found.ContentLength ?? 0 }
  }

  async function read(key: string, first: number, last: number): Promise<Readable> {
    const range = `bytes=${first}-${last}`
    const found = isKey(key)
      ? await orNull(client.send(new GetObjectCommand({ ...at(fileName(key)), Range: range })))
      : null
    if (found === null) throw new NotStored(key)
    return found.Body as Readable // in Node it is one
  }

  async function hashFile(key: string): Promise<string> {
    const hash = createHash('sha256')
    const found = await client.send(new GetObjectCommand(at(fileName(key))))
    for await (const chunk of found.Body as AsyncIterable<Buffer>) hash.update(chunk)
    return hash.digest('hex')
  }

  async function forget(key: string): Promise<void> {
    hashes.forget(key)
    if (!isKey(key)) return
    const record = await readRecord(key)
    // In this order, or a file that is completed meanwhile would stay.
    if (record !== null) {
      await remove(recordName(key))
      await removePieces(record.pieces)
      if (record.uploadId !== null) await abort(key, record.uploadId)
    }
    await remove(fileName(key))
  }

  /** Some know no such call; then the bucket's own rule for incomplete uploads removes the parts. */
  async function abort(key: string, uploadId: string): Promise<void> {
    const sent = new AbortMultipartUploadCommand({ ...at(fileName(key)), UploadId: uploadId })
    await client.send(sent).catch((error: unknown) => {
      if (!isMissing(error) && statusOf(error) !== 501 && statusOf(error) !== 405) throw error
    })
  }

  return {
    parts,
    read,
    stat,
    delete: forget,

    // By parts, so that `list` finds what a killed process leaves.
    async put(body, { maxBytes, signal, key = newKey() }) {
      try {
        await writeRecord(key, EMPTY)
        await parts.append(key, signal ? addAbortSignal(signal, body) : body, { offset: 0, maxBytes })
        return await parts.complete(key)
      } catch (error) {
        await forget(key)
        throw error
      } finally {
        body.destroy()
      }
    },

    async *list() {
      for (const folder of ['partial', 'files'])
        for await (const { name, storedAt } of names(folder)) {
          const key = name.slice(folder.length + 1)
          if (isKey(key)) yield { key, storedAt }
        }
    },

    // A bucket has no end; what a user may store is a quota.
    room: () => Promise.resolve(Number.POSITIVE_INFINITY),

    async probe() {
      const name = `probe/${newKey()}`
      await write(name, Buffer.from('probe'))
      await remove(name)
      // Listing is a permission of its own, without which what is missing cannot be told from what is forbidden.
      await client.send(
        new ListObjectsV2Command({ Bucket: config.bucket, Prefix: config.prefix, MaxKeys: 1 }),
      )
    },

    // Unfinished files are in `list`, and housekeeping deletes what nobody refers to. Here: pieces that no record speaks of any more.
    async sweep() {
      for await (const { name, storedAt } of names('partial')) {
        const [key = '', piece] = name.slice(recordName('').length).split('.')
        if (piece === undefined || Date.now() - storedAt < ABANDONED_MS) continue
        const known = (await readRecord(key))?.pieces ?? []
        if (!known.some((one) => one.name === name)) await remove(name)
      }
    },
  }
}
