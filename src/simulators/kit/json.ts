/** JSON as the platforms write it: a `bigint` becomes a bare number of any length. */
export function toJson(value: unknown): string {
  const marked = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `@int:${part}@` : part,
  )
  return marked.replaceAll(/"@int:(\d+)@"/g, '$1')
}

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
