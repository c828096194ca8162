import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue
type Explain = (issue: Issue) => string

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
/** Limits how many unknown fields, and how much of each, a message repeats: strangers choose them. */
const NAMED_MAX = 5
const quote = (name: string): string => `“${name.slice(0, 40)}”`
const UNITS: Readonly<Record<string, { one: string; many: string }>> = {
  string: { one: 'character', many: 'characters' },
  array: { one: 'entry', many: 'entries' },
}

/**
 * Error messages for schemas without their own: the field and its accepted values. `value` is the raw value, before
 * coercion turns an empty text into 0.
 */
export const inPlainWords =
  (value: unknown): Explain =>
  (issue) => {
    const path = issue.path ?? []
    const field = path.length === 0 ? 'The body' : path.join('.')
    return isMissing(value, path) ? `${field} is missing.` : `${field} ${describeRule(issue)}.`
  }

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let part = value
  for (const name of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return true
    part = (part as Record<PropertyKey, unknown>)[name] // an object has any name, if only as undefined
  }
  return part === undefined
}

function describeRule(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? 'something else'}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of: '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return bound(issue.origin, issue.minimum, {
        word: 'least',
        isWithin: issue.inclusive !== false,
        beyond: 'more',
      })
    case 'too_big':
      return bound(issue.origin, issue.maximum, {
        word: 'most',
        isWithin: issue.inclusive !== false,
        beyond: 'less',
      })
    case 'unrecognized_keys':
      return `does not take ${issue.keys.slice(0, NAMED_MAX).map(quote).join(', ')}`
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_union':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'custom':
      return 'is not what this call takes'
  }
}

function bound(
  origin: string,
  limit: number | bigint,
  { word, isWithin, beyond }: { word: string; isWithin: boolean; beyond: string },
): string {
  const unit = UNITS[origin]
  if (unit) return `must have at ${word} ${limit} ${Number(limit) === 1 ? unit.one : unit.many}`
  return isWithin ? `must be at ${word} ${limit}` : `must be ${beyond} than ${limit}`
}
