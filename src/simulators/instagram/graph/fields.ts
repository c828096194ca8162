import type { Answer } from '../../kit/http/serve.ts'
import { invalidParameter } from './answers.ts'

/**
 * The requested fields, or Graph's error about the first unknown one. Undefined values are documented fields that are left
 * out. Modifiers (`comments{text}`, `comments.limit(5)`) are accepted and ignored.
 */
export function pick(
  values: Record<string, unknown>,
  parameters: URLSearchParams,
  byDefault: string[],
): Record<string, unknown> | Answer {
  const wanted = parameters.get('fields')
  const answer: Record<string, unknown> = {}
  for (const field of new Set([...(wanted === null ? byDefault : namesIn(wanted)), 'id'])) {
    if (!Object.hasOwn(values, field))
      return invalidParameter(`(#100) Tried accessing nonexisting field (${field})`)
    if (values[field] !== undefined) answer[field] = values[field]
  }
  return answer
}

export const isAnswer = (value: object): value is Answer => 'body' in value && typeof value.body === 'string'

function namesIn(fields: string): string[] {
  let outer = fields
  for (let before = ''; before !== outer;) {
    before = outer
    outer = outer.replaceAll(/(?:\.\w+)?\([^(){}]*\)|\{[^{}]*\}/g, '')
  }
  return outer.split(',').map((name) => name.trim())
}
