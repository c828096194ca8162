declare global {
  /** TypeScript's libraries do not know it yet. */
  interface JSON {
    rawJSON(text: string): object
  }
}

/** JSON as the platforms write it: a `bigint` becomes a bare number of any length. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part,
  )

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
