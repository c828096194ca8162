/**
 * A text contains none of these: NUL, which PostgreSQL refuses; half of a surrogate pair; and U+FFFD, which a decoder puts where bytes
 * were not UTF-8, so that the true character is lost.
 */
const BROKEN = /[\0\p{Cs}\u{fffd}]/u

/** No input nests deeper; a deeper one would overflow the stack. */
const DEPTH_MAX = 32

/**
 * Looks for a text that is not well-formed in a parsed JSON value, the names of its fields included.
 * @returns the path to the first one; null where there is none
 * @throws RangeError where the value nests more than 32 levels deep
 */
export function findBrokenText(value: unknown, path: readonly string[] = []): readonly string[] | null {
  if (typeof value === 'string') return BROKEN.test(value) ? path : null
  if (typeof value !== 'object' || value === null) return null
  if (path.length > DEPTH_MAX) throw new RangeError('nested too deeply')
  for (const [name, part] of Object.entries(value)) {
    const found = BROKEN.test(name) ? path : findBrokenText(part, [...path, name])
    if (found) return found
  }
  return null
}

/** The first characters of a text, at most `maxChars` UTF-16 code units. It never ends in half an emoji. */
export const cutText = (text: string, maxChars: number): string =>
  text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')

/** The first letter of a name, as its reader counts letters: an emoji of several code points is one. */
export function firstLetter(text: string): string {
  const [first] = new Intl.Segmenter().segment(text)
  return first?.segment ?? ''
}
