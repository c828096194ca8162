import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Endpoint, FormFile } from '#contract/http/endpoint.ts'
import { FORM_FIELD_MAX_BYTES } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { fieldErrors, refusal, refuseBrokenText } from './parse.ts'
import { displayFilename } from './filename.ts'
import { inPlainWords } from './field-messages.ts'
import { Problem } from '#base/problem.ts'
import { allowUpload } from './request-bodies.ts'
import { type Storage, type StoredObject, type StoredFile, TooLarge } from '../storage/storage.ts'

const MAX_FIELDS = 20
const MAX_PARTS = 30
const MAX_FIELDS_BYTES = 4 * FORM_FIELD_MAX_BYTES

type Errors = Record<string, string[]>
type Form = { readonly body: unknown; readonly file: StoredFile }

/**
 * Receives a multipart form: streams its file into storage, parses its fields with the endpoint's `body`, then calls
 * `handle`. After a failure nothing stays in storage. Needs `@fastify/multipart` and `watchBodies`. @throws Problem
 * too_large, unsupported_media, malformed, invalid (with `errors`)
 */
export async function receiveForm<T>(
  request: FastifyRequest,
  endpoint: Endpoint,
  deps: { readonly storage: Storage; readonly isKept: (storageKey: string) => Promise<boolean> },
  handle: (form: Form) => Promise<T>,
): Promise<T> {
  const { file: wanted } = endpoint
  if (!wanted) throw new Error(`${endpoint.path} takes no file`)
  let stored: StoredObject | null = null
  let done = false
  try {
    const form = await receive(request, endpoint, wanted, async (part) => {
      stored = await store(deps.storage, part, wanted)
      return stored
    })
    const reply = await handle(form)
    done = true
    return reply
  } finally {
    if (!done) {
      // TypeScript does not see the assignment in the callback above.
      const left = stored as StoredObject | null
      // The transaction may have committed although its answer was lost: keep a file that a row refers to.
      if (left && !(await deps.isKept(left.key))) await deps.storage.delete(left.key)
    }
  }
}

export const leastFileBytes = ({ headers }: FastifyRequest): number =>
  Math.max(1, Number(headers['content-length'] ?? 0) - MAX_FIELDS_BYTES)

async function receive(
  request: FastifyRequest,
  endpoint: Endpoint,
  wanted: FormFile,
  put: (part: MultipartFile) => Promise<StoredObject>,
): Promise<Form> {
  if (!request.isMultipart()) {
    throw new Problem('unsupported_media', 'Send this as a form (multipart/form-data).')
  }
  if (Number(request.headers['content-length'] ?? 0) > wanted.maxBytes + MAX_FIELDS_BYTES) {
    throw new Problem('too_large', wanted.tooLarge)
  }
  const schema = endpoint.body ?? z.object({})
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  const fields: Record<string, unknown> = {}
  const errors: Errors = {}
  let file: StoredFile | null = null
  let fieldBytes = 0

  allowUpload(request.raw)
  try {
    for await (const part of readParts(request, wanted, shape)) {
      const name = part.fieldname
      if (part.type === 'file') {
        if (name !== wanted.field) throw refusal('invalid', { [name]: ['This form takes no such file.'] })
        if (file) throw refusal('invalid', { [name]: ['Send one file only.'] })
        refuseBrokenText({ [name]: part.filename })
        file = { ...(await put(part)), filename: displayFilename(part.filename) }
        continue
      }
      fieldBytes += fieldSize(part)
      if (part.valueTruncated || fieldBytes > MAX_FIELDS_BYTES) {
        throw new Problem('too_large', 'A field of this form is too long.')
      }
      if (name === wanted.field) throw refusal('invalid', { [name]: [wanted.missing] })
      if (!Object.hasOwn(shape, name)) continue
      if (Object.hasOwn(fields, name)) errors[name] = ['Send this field once only.']
      const value = parseValue(part, shape[name])
      if (value === undefined) errors[name] = ['Send this field as JSON.']
      fields[name] = value
    }
  } catch (error) {
    throw asProblem(error)
  }

  refuseBrokenText(fields)
  const body = schema.safeParse(fields, { error: inPlainWords(fields) })
  const all = { ...(body.success ? {} : fieldErrors(body.error)), ...errors }
  if (!file) throw refusal('invalid', { [wanted.field]: [wanted.missing], ...all })
  if (file.size === 0) throw refusal('invalid', { [wanted.field]: [TEXTS.fileEmpty], ...all })
  if (!body.success || Object.keys(all).length > 0) throw refusal('invalid', all)
  return { body: body.data, file }
}

function readParts(
  request: FastifyRequest,
  wanted: FormFile,
  shape: Readonly<Record<string, unknown>>,
): AsyncIterableIterator<Multipart> {
  return request.parts({
    // The storage enforces the limit; the parser would truncate the file silently.
    limits: {
      fileSize: Number.POSITIVE_INFINITY,
      files: 2,
      fields: MAX_FIELDS,
      parts: MAX_PARTS,
      fieldNameSize: 100,
      fieldSize: FORM_FIELD_MAX_BYTES,
      headerPairs: 20,
    },
    // A JSON field appended as a Blob has a file name but is still a field.
    isPartAFile: (name, _type, filename) =>
      filename !== undefined && (name === wanted.field || !Object.hasOwn(shape, name ?? '')),
  })
}

async function store(storage: Storage, part: MultipartFile, wanted: FormFile): Promise<StoredObject> {
  return storage.put(part.file, { maxBytes: wanted.maxBytes }).catch((error: unknown) => {
    throw error instanceof TooLarge ? new Problem('too_large', wanted.tooLarge, { cause: error }) : error
  })
}

/** Objects are sent as JSON, other values unchanged. `undefined`: invalid JSON. */
function parseValue(part: MultipartValue, schema: unknown): unknown {
  if (typeof part.value !== 'string' || !(schema instanceof z.ZodObject)) return part.value
  try {
    return JSON.parse(part.value)
  } catch {
    return undefined
  }
}

const fieldSize = ({ value }: MultipartValue) =>
  typeof value === 'string' ? value.length : FORM_FIELD_MAX_BYTES

/** Turns the parser's refusals into Problems. Anything else is our bug or a broken connection. */
function asProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error
  const code = 'code' in error ? error.code : null
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT') {
    return new Problem('malformed', 'This form has more parts than it should.', { cause: error })
  }
  if (
    code === 'FST_PROTO_VIOLATION' ||
    code === 'FST_INVALID_JSON_FIELD_ERROR' ||
    PARSER_WORDS.test(error.message)
  ) {
    return new Problem('malformed', "This form couldn't be read completely.", { cause: error })
  }
  return code === 'FST_MP_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE'
    ? new Problem('malformed', 'The upload was interrupted.', { cause: error })
    : error
}
const PARSER_WORDS = /multipart|boundary|needle cannot have|terminated early|malformed part header/i
