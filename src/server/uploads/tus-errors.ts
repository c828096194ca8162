import type { ProblemCode } from '#contract/http/problem.ts'
import { TEXTS } from '#contract/texts.ts'
import { Problem } from '#base/problem.ts'
import { TooLarge } from '../storage/storage.ts'

/** The library throws plain objects of this shape, and its size limiter an Error with the same fields. */
type LibraryError = { readonly status_code: number; readonly body: string }

const isLibraryError = (error: unknown): error is LibraryError =>
  typeof error === 'object' && error !== null && 'status_code' in error && 'body' in error

/** Translates an error of the tus library into a Problem; returns any other, which is a bug of ours, unchanged. */
export function tusProblem(error: unknown): unknown {
  if (error instanceof TooLarge || (error instanceof Error && isLibraryError(error)))
    return new Problem('too_large', MORE_THAN_DECLARED, { cause: error })
  return isLibraryError(error) ? problemOfReply(error.status_code, error.body) : error
}

const MORE_THAN_DECLARED = 'This is more than the length that the upload was created with.'

/** Keyed by the reply's text, else by the statuses of https://tus.io/protocols/resumable-upload; any other is `malformed`. */
export function problemOfReply(status: number, body: string): Problem {
  const text = body.trim()
  const [code, message] = WORDS[text] ?? BY_STATUS[status] ?? ['malformed', `Not a tus 1.0 request: ${text}`]
  return new Problem(code, message)
}

type Words = readonly [code: ProblemCode, message: string]
const GONE: Words = ['not_found', "This upload doesn't exist."]
const WORDS: Readonly<Record<string, Words>> = {
  'Maximum size exceeded': ['too_large', TEXTS.videoTooLarge],
  'Upload-Length or Upload-Defer-Length header required': [
    'malformed',
    'The header Upload-Length is missing.',
  ],
  'creation-defer-length extension is not (yet) supported.': [
    'malformed',
    'Create the upload with its length (Upload-Length).',
  ],
  'Upload-Offset header required': ['malformed', 'The header Upload-Offset is missing.'],
  'Content-Type header required': ['unsupported_media', 'Send the bytes as application/offset+octet-stream.'],
  'Invalid content-type': ['unsupported_media', 'Send the bytes as application/offset+octet-stream.'],
  'Invalid tus-resumable': ['tus_version', 'This server speaks tus 1.0.0.'],
}
const BY_STATUS: Readonly<Record<number, Words>> = {
  404: GONE,
  409: ['conflict', "The upload isn't at this offset. Ask for it (HEAD) and continue from there."],
  410: GONE,
  412: ['tus_version', 'This is the address of tus uploads: send the header Tus-Resumable: 1.0.0.'],
  413: ['too_large', MORE_THAN_DECLARED],
}
