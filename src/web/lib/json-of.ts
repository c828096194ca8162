/** Parses untrusted JSON; `undefined` if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // JSON.parse reports invalid input by throwing.
    return undefined
  }
}
