import { errorCodes, type FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { inPlainWords } from './field-messages.ts'
import { TEXT_BROKEN } from '#contract/texts.ts'
import { findBrokenText } from '#contract/well-formed.ts'
import { Problem } from '#base/problem.ts'

/** Parses, or throws a Problem that names each field and its accepted values. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: 'malformed' | 'invalid',
): z.output<S> {
  refuseBrokenText(value)
  const result = schema.safeParse(value, { error: inPlainWords(value) })
  if (!result.success) throw refusal(code, fieldErrors(result.error))
  return result.data
}

/** @throws Problem malformed with the field's name if a text is not well-formed */
export function refuseBrokenText(value: unknown): void {
  let path: readonly string[] | null
  try {
    path = findBrokenText(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Problem('malformed', 'This is nested too deeply.', { cause: error })
  }
  if (path) throw refusal('malformed', { [path.join('.') || 'body']: [TEXT_BROKEN] })
}

/** Bodies are read as UTF-8 whatever charset they declare, so any other would be garbled. */
export function refuseOtherCharsets(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const type = request.headers['content-type'] ?? ''
    const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8'
    if (/^(?:utf-?8|us-ascii)$/i.test(charset)) done(null, payload)
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type))
  })
}

/** @throws Problem malformed if the query contains invalid UTF-8, which the parser would pass on unchanged */
export function refuseBrokenQuery(address: string): void {
  try {
    decodeURIComponent(address.replace(/^[^?]*/, ''))
  } catch (error) {
    throw new Problem('malformed', 'This address is not UTF-8.', { cause: error })
  }
}

export function fieldErrors(error: z.ZodError): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const issue of error.issues) {
    const field = issue.path.join('.') || 'body'
    ;(errors[field] ??= []).push(issue.message)
  }
  return errors
}

/** Clients with room for one message show the first one. */
export function refusal(code: 'malformed' | 'invalid', errors: Record<string, string[]>): Problem {
  const [first = 'That is not what this call takes.'] = Object.values(errors).flat()
  return new Problem(code, first, { errors })
}
