import { z } from 'zod'
import { SEARCH_WORDS_MAX } from './limits.ts'

/** What is searched for; the same word twice counts once. */
export const searchText = (maxChars: number) =>
  z.string().max(maxChars).refine(hasFewWords, `Search for up to ${SEARCH_WORDS_MAX} words.`)

/** By white space, as names are searched, and by everything else that is no letter and no digit, as captions are. */
const hasFewWords = (text: string): boolean =>
  [/\s+/, /[^\p{L}\p{M}\p{N}]+/u].every(
    (separator) => searchWords(text, separator).length <= SEARCH_WORDS_MAX,
  )

/** The different words of a text. */
export const searchWords = (text: string, separator: RegExp = /\s+/): string[] => [
  ...new Set(
    text
      .normalize('NFKC')
      .split(separator)
      .filter((word) => word !== ''),
  ),
]
