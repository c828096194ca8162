/** Makes a value anew when its facts have changed; the same object until then. */
export function keepLast<F extends readonly unknown[], T>(make: (...facts: F) => T): (...facts: F) => T {
  let kept: { readonly of: F; readonly value: T } | null = null
  return (...facts) => {
    if (kept === null || facts.some((one, at) => one !== kept?.of[at]))
      kept = { of: facts, value: make(...facts) }
    return kept.value
  }
}
