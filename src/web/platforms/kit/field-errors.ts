import type { z } from 'zod'
import { ApiProblem } from '#web/api/api.ts'

/** A schema's first message for each field, in the order of the schema. */
export function messagesOf(error: z.ZodError): Readonly<Record<string, string>> {
  const messages: Record<string, string> = {}
  for (const { path, message } of error.issues) messages[String(path[0])] ??= message
  return messages
}

/**
 * The server's messages by the form's own field names.
 * @param names `prefix`: `post_info` maps `post_info.title` to `title`; `text`: the field that holds a post's text
 */
export function fieldErrorsOf(
  error: Error,
  names: { prefix: string; text: string },
): Readonly<Record<string, string>> {
  if (!(error instanceof ApiProblem)) return {}
  return Object.fromEntries(
    Object.entries(error.errors).map(([field, messages]) => {
      const inner = field.startsWith(`${names.prefix}.`) ? field.slice(names.prefix.length + 1) : field
      return [inner === 'text' ? names.text : inner, messages.join(' ')]
    }),
  )
}

/** Focuses a refused form's first invalid field, once the errors are rendered. */
export function focusFirstInvalid(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
