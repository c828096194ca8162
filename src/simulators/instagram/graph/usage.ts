import type { Answer } from '../../kit/http/serve.ts'
import { graphError } from './answers.ts'
import { userId, type Instagram } from '../state/state.ts'

const hour = 3_600_000
const uncounted = ['authorize', 'token', 'fetch', 'fetch_cover']

interface Usage {
  percent: number
  regainMinutes: number
}

/** "percent of a rolling hour": from a setting, or counted from the ledger against `instagram_calls_per_hour`. */
function computeUsage(instagram: Instagram, username: string): Usage {
  const settings = instagram.settings.get()
  const limit = settings.instagram_calls_per_hour
  if (limit === 0) {
    return {
      percent: settings.instagram_account_usage_percent,
      regainMinutes: settings.instagram_regain_minutes,
    }
  }
  const now = instagram.clock.now()
  // Refusals do not count, so a client that keeps calling is served again eventually.
  const made = instagram.calls
    .all()
    .filter(
      ({ platform, account, call, status }) =>
        platform === 'instagram' && account === username && status !== 400 && !uncounted.includes(call),
    )
    .map(({ at }) => Date.parse(at))
    .filter((at) => at > now - hour)
  // The next call succeeds once enough of the counted ones are an hour old.
  const blocking = made.length < limit ? undefined : made[made.length - limit]
  return {
    percent: Math.floor((made.length / limit) * 100),
    regainMinutes: blocking === undefined ? 0 : Math.ceil((blocking + hour - now) / 60_000),
  }
}

/** The refusal of a call beyond the account's limit: status 400, like all errors. */
export function throttledAccount(instagram: Instagram, username: string | null): Answer | null {
  if (username === null || computeUsage(instagram, username).regainMinutes === 0) return null
  return graphError({
    code: 80002,
    subcode: 2446079,
    message: '(#80002) There have been too many calls to this Instagram account.',
  })
}

/** Adds both usage headers. Which of them graph.instagram.com sends is unknown; sending both, with a switch for each, is our assumption. */
export function withUsage(instagram: Instagram, username: string | null, answer: Answer): Answer {
  const app = instagram.settings.get().instagram_app_usage_percent
  const account = username === null ? { percent: -1, regainMinutes: 0 } : computeUsage(instagram, username)
  return {
    ...answer,
    headers: {
      ...(app < 0 ? {} : { 'x-app-usage': JSON.stringify(figures(app)) }),
      ...(username === null || account.percent < 0
        ? {}
        : {
            'x-business-use-case-usage': JSON.stringify({
              [userId(username)]: [
                {
                  type: 'instagram',
                  ...figures(account.percent),
                  estimated_time_to_regain_access: account.regainMinutes,
                },
              ],
            }),
          }),
      ...answer.headers,
    },
  }
}

const figures = (percent: number): Record<string, number> => ({
  call_count: percent,
  total_cputime: Math.floor(percent / 4),
  total_time: Math.floor(percent / 4),
})
