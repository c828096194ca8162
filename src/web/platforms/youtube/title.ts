import { YOUTUBE_TITLE_MAX_CHARS } from '#contract/platforms/youtube.ts'

/** The caption's first line as YouTube takes it: without angle brackets, and cut between words if it is too long. */
export function proposeTitle(text: string): string {
  const line = text
    .split('\n')
    .map((one) => one.replace(/[<>]/g, '').replace(/\s+/g, ' ').trim())
    .find((one) => one !== '')
  if (line === undefined || line.length <= YOUTUBE_TITLE_MAX_CHARS) return line ?? ''
  const kept = line.slice(0, YOUTUBE_TITLE_MAX_CHARS - 1)
  // Half of a surrogate pair would be no character.
  const end = line[kept.length] === ' ' ? kept.length : kept.lastIndexOf(' ')
  const whole = end > 0 ? kept.slice(0, end) : kept.replace(/[\uD800-\uDBFF]$/, '')
  return `${whole.trimEnd()}…`
}
