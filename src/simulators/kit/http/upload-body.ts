import type { Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Answer } from './serve.ts'

/** A client reads an answer only after sending its body, so discard the rest. */
export async function afterDraining(request: FastifyRequest, answer: Answer): Promise<Answer> {
  if (request.body instanceof Readable) {
    request.body.on('error', () => undefined)
    request.body.resume()
  }
  return answer
}

/** Writes up to `limit` bytes of the body at `start` and returns their number; a broken connection ends it. */
export async function writeBody(
  path: string,
  start: number,
  limit: number,
  request: FastifyRequest,
  hash: Hash,
): Promise<number> {
  // Not "append": overwrite the remains of a broken chunk.
  const file = await open(path, start === 0 ? 'w' : 'r+', 0o600)
  let written = 0
  try {
    if (!(request.body instanceof Readable)) return 0
    // Stopping early must leave the connection to the caller of this function.
    const body: AsyncIterable<Buffer> = request.body.iterator({ destroyOnReturn: false })
    for await (const part of body) {
      const bytes = part.subarray(0, limit - written)
      await file.write(bytes, 0, bytes.length, start + written)
      hash.update(bytes)
      written += bytes.length
      if (written >= limit) break
    }
    return written
  } catch {
    // The caller hung up in the middle; it is the platform's to say which bytes count.
    return written
  } finally {
    await file.close()
  }
}
