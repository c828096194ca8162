import { z } from 'zod'

/** The last submission that was not taken as far as anybody knows. */
export type Submission = z.infer<typeof Submission>
export const Submission = z.object({ contents: z.string(), key: z.string() }).nullable()

/**
 * One key per submission: the same contents sent again after a lost answer carry the same key, so that the server makes
 * one post of them, even when the page was loaded again between; changed contents are another submission.
 */
export function submissionOf(last: Submission, file: File, fields: unknown): NonNullable<Submission> {
  const contents = JSON.stringify([file.name, file.size, file.lastModified, fields])
  return last?.contents === contents ? last : { contents, key: randomKey() }
}

/** Not `randomUUID`, which a page served without TLS does not have. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
