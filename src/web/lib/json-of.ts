/** What a text of somebody else's says as JSON; `undefined`: it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // JSON knows no other way to say no.
    return undefined
  }
}
