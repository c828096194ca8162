import type { Answer } from '../../kit/http/serve.ts'
import { userId, type Instagram } from '../state/state.ts'

/** Adds both usage headers. Which of them graph.instagram.com sends is unknown; sending both is our assumption. */
export function withUsage(instagram: Instagram, username: string | null, answer: Answer): Answer {
  const percent = instagram.settings.get().instagram_account_usage_percent
  const account = { type: 'instagram', ...figures(percent), estimated_time_to_regain_access: 0 }
  return {
    ...answer,
    headers: {
      'x-app-usage': JSON.stringify(figures(0)),
      ...(username !== null && {
        'x-business-use-case-usage': JSON.stringify({ [userId(username)]: [account] }),
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
