import { BrandTitle } from '#contract/brands.ts'
import { ApiProblem } from '#web/client/api.ts'
import { messageOf } from '#web/lib/format/message-of.ts'

/** What is wrong with a brand's name, all of it in one line; `null`: nothing. */
export function titleProblem(title: string): string | null {
  const parsed = BrandTitle.safeParse(title)
  return parsed.success ? null : parsed.error.issues.map((issue) => issue.message).join(' ')
}

/** What the server says of the name first, then the error's own words, then the fallback. */
export function failureText(error: Error, fallback: string): string {
  const ofTitle = error instanceof ApiProblem ? error.errors['title']?.[0] : undefined
  return ofTitle || messageOf(error, fallback)
}
