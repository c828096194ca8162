import type { FastifyInstance } from 'fastify'
import { JSON_MAX_VALUES } from '#contract/limits.ts'
import { Problem } from '#base/problem.ts'

/** Limits the values of JSON bodies before parsing: a megabyte of `[]` costs a hundred times as much as one of text. */
export function limitJsonValues(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const max = request.routeOptions.config.maxBodyValues ?? JSON_MAX_VALUES
    if (hasTooManyValues(body.toString(), max))
      done(new Problem('too_large', `A request may have up to ${max} values.`))
    else void parse(request, body.toString(), done)
  })
}

const [QUOTE, BACKSLASH, ...BEGINNINGS] = ['"', '\\', ',', '[', '{'].map((sign) => sign.charCodeAt(0))

/** Outside texts each value begins after a comma or a bracket. */
export function hasTooManyValues(json: string, max: number): boolean {
  let values = 1
  let inText = false
  for (let i = 0; i < json.length; i += 1) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) inText = !inText
    else if (inText && code === BACKSLASH) i += 1
    else if (!inText && BEGINNINGS.includes(code)) values += 1
    if (values > max) return true
  }
  return false
}
