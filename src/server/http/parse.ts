import type { z } from 'zod'
import { inPlainWords } from './field-messages.ts'
import { Problem } from '#base/problem.ts'

/** Parses or throws a Problem that names each field and what it takes. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: 'malformed' | 'invalid',
): z.output<S> {
  const result = schema.safeParse(value, { error: inPlainWords(value) })
  if (!result.success) throw refusal(code, fieldErrors(result.error))
  refuseNul(value)
  return result.data
}

/** No input nests deeper; a deeper one would overflow the stack. */
const MAX_DEPTH = 32

/** PostgreSQL cannot store NUL in a text. */
export function refuseNul(value: unknown): void {
  if (hasNul(value, 0)) throw new Problem('malformed', 'Texts cannot contain the character NUL.')
}

function hasNul(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) throw new Problem('malformed', 'This is nested too deeply.')
  return Object.entries(value).some(([name, part]) => hasNul(name, depth) || hasNul(part, depth + 1))
}

/** Messages by field; nested fields are named `post_info.title`. */
export function fieldErrors(error: z.ZodError): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const issue of error.issues) {
    const field = issue.path.join('.') || 'body'
    ;(errors[field] ??= []).push(issue.message)
  }
  return errors
}

/** The first message is shown where there is room for one only. */
export function refusal(code: 'malformed' | 'invalid', errors: Record<string, string[]>): Problem {
  const [first = 'That is not what this call takes.'] = Object.values(errors).flat()
  return new Problem(code, first, { errors })
}
