import { BrandTitle } from '#contract/brands.ts'
import { BRAND_TITLE_PATTERN } from '#contract/limits.ts'
import { ApiProblem } from '#web/api/api.ts'
import { messageOf } from '#web/lib/message-of.ts'

/** All errors of a brand name in one line; `null`: none. */
export function titleProblem(title: string): string | null {
  const parsed = BrandTitle.safeParse(title)
  return parsed.success ? null : parsed.error.issues.map((issue) => issue.message).join(' ')
}

/** The name with the apostrophes and hyphens of a keyboard: word processors and phones put others in their place. */
export const withPlainMarks = (title: string): string =>
  title.replace(/[‘’ʼ´`]/g, "'").replace(/[‐‑‒–—−]/g, '-')

/** The characters that a name must not have, each once. */
export const forbiddenIn = (title: string): string[] => [
  ...new Set(splitCharacters(title).filter(isForbidden)),
]

/** As a reader sees them: an emoji of several code points is one. */
const splitCharacters = (title: string): string[] =>
  [...new Intl.Segmenter('en').segment(title)].map(({ segment }) => segment)

const isForbidden = (character: string): boolean => !BRAND_TITLE_PATTERN.test(character)

export const withoutForbidden = (title: string): string =>
  splitCharacters(title)
    .filter((character) => !isForbidden(character))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

/** The server's first title error, else the error's message, else the fallback. */
export function failureText(error: Error, fallback: string): string {
  const ofTitle = error instanceof ApiProblem ? error.errors['title']?.[0] : undefined
  return ofTitle || messageOf(error, fallback)
}
