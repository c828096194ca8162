import type { PlatformId } from './index.ts'
import { YOUTUBE_TITLE_MAX_CHARS } from './youtube.ts'

/** The options that the composer takes from a post's text until something else is typed, and how. */
export const PROPOSED_OPTIONS: Record<PlatformId, Readonly<Record<string, (text: string) => string>>> = {
  tiktok: {},
  instagram: {},
  youtube: { title: proposeYouTubeTitle },
}

/** The first line of a text as YouTube takes a title: without angle brackets, and cut between words if it is too long. */
export function proposeYouTubeTitle(text: string): string {
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
