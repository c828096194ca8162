import type { Answer } from '../kit/http/serve.ts'
import { refusal } from './envelope.ts'
import type { TikTok } from './state/state.ts'

const perMinute = {
  init: 6,
  inbox_init: 6,
  creator_info: 20,
  status: 30,
  user_info: 600,
  video_query: 600,
} as const
export type LimitedCall = keyof typeof perMinute

export interface RateLimits {
  /**
   * Counts the call or refuses it: "one-minute sliding window", "per user token". We assume that a new token of the same
   * creator brings no new calls, and that refused calls do not count.
   */
  take(call: LimitedCall, username: string): Answer | null
}

export function openRateLimits(tiktok: TikTok): RateLimits {
  const taken = tiktok.store.table<number[]>('tiktok.rate_limits')
  return {
    take: (call, username) => {
      if (!tiktok.settings.get().tiktok_rate_limits) return null
      const now = tiktok.clock.now()
      const key = `${call} ${username}`
      const recent = (taken.get(key) ?? []).filter((at) => at > now - 60_000)
      if (recent.length >= perMinute[call]) {
        return refusal(429, 'rate_limit_exceeded', 'The API rate limit was exceeded. Please try again later.')
      }
      taken.put(key, [...recent, now])
      return null
    },
  }
}
