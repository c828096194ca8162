import { z } from 'zod'
import { SEARCH_WORDS_MAX } from './limits.ts'

/** The same word twice counts once. */
export const searchText = (maxChars: number) =>
  z.string().max(maxChars).refine(hasFewWords, `Search for up to ${SEARCH_WORDS_MAX} words.`)

/** The first or last day of a list. Years of four digits that clocks of all zones know, and none before videos and posts. */
export const ListDay = z.iso.date().regex(/^2/, 'Give a day of this millennium.')

/** By white space, as names are searched, and as captions are: by all that is no letter and no digit, of which symbols are words, too. */
function hasFewWords(text: string): boolean {
  const symbols = new Set(text.match(/\p{S}/gu))
  const words = searchWords(text, /[^\p{L}\p{M}\p{N}]+/u)
  return searchWords(text).length <= SEARCH_WORDS_MAX && words.length + symbols.size <= SEARCH_WORDS_MAX
}

/** The different words of a text. */
export const searchWords = (text: string, separator: RegExp = /\s+/): string[] => [
  ...new Set(
    text
      .normalize('NFKC')
      .split(separator)
      .filter((word) => word !== ''),
  ),
]
