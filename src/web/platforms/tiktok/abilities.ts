import {
  TIKTOK_PRIVACY_LABELS,
  TikTokPrivacy,
  type TikTokAccountOptions,
} from '#contract/platforms/tiktok.ts'
import { formatDuration } from '#web/lib/amounts.ts'

/** TikTok does not report how many posts are left. */
export function tiktokAbilities(options: TikTokAccountOptions): string[] {
  const off = [
    options.comment_disabled && 'comments',
    options.duet_disabled && 'duets',
    options.stitch_disabled && 'stitches',
  ].filter((what) => what !== false)
  return [
    audience(options),
    ...(off.length > 0 ? [`${capitalised(list(off))} turned off in TikTok`] : []),
    `Videos up to ${formatDuration(options.max_duration_s)}`,
    ...(options.notice === null ? [] : [options.notice]),
  ]
}

function audience({ privacy_levels: levels }: TikTokAccountOptions): string {
  if (levels.length === 0) return 'No audience available right now'
  if (levels.includes(TikTokPrivacy.enum.PUBLIC_TO_EVERYONE)) return 'Public posts'
  if (levels.every((level) => level === TikTokPrivacy.enum.SELF_ONLY)) return 'Private posts only'
  return `No public posts: ${levels.map((level) => TIKTOK_PRIVACY_LABELS[level]).join(', ')}`
}

const list = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words)

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
