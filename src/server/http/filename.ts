import { cutText } from '#contract/well-formed.ts'

export const displayFilename = (sent: string | null | undefined): string =>
  cutText(cleanFilename((sent ?? '').split(/[/\\]/).at(-1) ?? ''), 255) || 'video'

/** Removes control characters and those that change the text direction around it. Joiners stay: some scripts need them. */
export const cleanFilename = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cs}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}]/gu, '').trim()
