import { BrandTitle } from '#contract/brands.ts'
import { ApiProblem } from '#web/api/api.ts'
import { messageOf } from '#web/lib/message-of.ts'

/** All errors of a brand name in one line; `null`: none. */
export function titleProblem(title: string): string | null {
  const parsed = BrandTitle.safeParse(title)
  return parsed.success ? null : parsed.error.issues.map((issue) => issue.message).join(' ')
}

/** The server's first title error, else the error's message, else the fallback. */
export function failureText(error: Error, fallback: string): string {
  const ofTitle = error instanceof ApiProblem ? error.errors['title']?.[0] : undefined
  return ofTitle || messageOf(error, fallback)
}
