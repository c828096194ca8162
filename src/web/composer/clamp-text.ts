/**
 * The longest beginning of a text that fits with "… more" behind it; null: the whole text fits.
 * @param fits whether a beginning fits; the whole text is asked without "… more"
 */
export function clampText(text: string, fits: (part: string, isWhole: boolean) => boolean): string | null {
  if (fits(text, true)) return null
  const letters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  let [low, high] = [0, letters.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(trimmed(letters, middle), false)) low = middle
    else high = middle - 1
  }
  return trimmed(letters, low)
}

/** Without what looks odd before "…". */
const trimmed = (letters: readonly string[], count: number): string =>
  letters
    .slice(0, count)
    .join('')
    .replace(/[\s.,;:]+$/u, '')
