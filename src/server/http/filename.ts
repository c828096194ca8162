import { cutText } from '#contract/well-formed.ts'

/** The name of an uploaded file as it is shown; never used as a path. */
export const displayFilename = (sent: string | null | undefined): string =>
  cutText(cleanFilename((sent ?? '').split(/[/\\]/).at(-1) ?? ''), 255) || 'video'

/** Without control characters and what turns the direction of the text around it. Joiners are part of how words are spelt. */
export const cleanFilename = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cs}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}]/gu, '').trim()
