import type { Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { formatDuration } from '#web/lib/amounts.ts'
import { dateOf } from '#web/lib/moments.ts'

/** By then, renewal has been tried many times without success. */
const SOON_MS = 14 * 86_400_000

/** An account's state, and why the user should act. */
export type Health =
  | { readonly kind: 'linked'; readonly about: string | null }
  | { readonly kind: 'relink' | 'expires' | 'may_not_post'; readonly word: string; readonly why: string }

/** @param now epoch milliseconds; `zone`: an IANA zone, for dates */
export function healthOf(account: Account, now: number, zone: string): Health {
  const { health, can_publish, access_ends_at: end, platform } = account
  if (health.status === 'relink') return { kind: 'relink', word: 'Link again', why: health.reason }
  if (!can_publish) {
    return {
      kind: 'may_not_post',
      word: "Can't post",
      why: `Posting wasn't allowed on ${PLATFORM_NAMES[platform]}. Link the account again and allow posting.`,
    }
  }
  if (end === null) return { kind: 'linked', about: null }
  const left = Date.parse(end) - now
  const day = dateOf(end, zone)
  if (left <= 0) {
    return {
      kind: 'expires',
      word: 'Expired',
      why: `Access ended on ${day}. Link the account again.`,
    }
  }
  if (left <= SOON_MS) {
    return {
      kind: 'expires',
      word: `Expires in ${formatDuration(left / 1000)}`,
      why: `Access ends on ${day} and couldn't be renewed. Link the account again before then.`,
    }
  }
  return { kind: 'linked', about: `Access until ${day}, renewed automatically` }
}
