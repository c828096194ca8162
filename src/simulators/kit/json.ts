/** JSON as the platforms write it: a `bigint` becomes a bare number, however long. */
export function toJson(value: unknown): string {
  const marked = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `@int:${part}@` : part,
  )
  return marked.replaceAll(/"@int:(\d+)@"/g, '$1')
}

/** What came in, as an object whose members must be looked at one by one; null when it is none. */
export const asObject = (value: unknown): Record<string, unknown> | null => (isObject(value) ? value : null)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
