import { asObject, parseJson } from '../../kit/json.ts'
import type { Answer } from '../../kit/http/serve.ts'
import { insightCalls } from '../state/insight-calls.ts'
import { type Instagram, userId } from '../state/state.ts'

/** Uses the shape chosen by the settings where documentation and recorded answers differ. */
export function withConfiguredShape(instagram: Instagram, answer: Answer): Answer {
  const { instagram_ids: ids, instagram_error_language: language } = instagram.settings.get()
  const translated = language === 'en' ? answer : inLanguage(answer, foreign[language])
  return ids === 'text' ? translated : { ...translated, body: withBareIds(translated.body) }
}

/** `"id":"178…"` becomes `"id":178…`, which exceeds JavaScript numbers. */
const withBareIds = (body: string): string => body.replaceAll(/("(?:user_)?id":)"(\d{15,})"/g, '$1$2')

/** Meta translates these two for the account's owner; Thai and Spanish were observed. */
const foreign = {
  es: { title: 'No se pudo completar la acción', message: 'Inténtalo de nuevo más tarde.' },
  th: { title: 'ไม่สามารถดำเนินการได้', message: 'โปรดลองอีกครั้งในภายหลัง' },
} as const

function inLanguage(answer: Answer, words: { title: string; message: string }): Answer {
  const body = asObject(parseJson(answer.body))
  const error = asObject(body?.error)
  if (error === null) return answer
  const translated = { ...error, error_user_title: words.title, error_user_msg: words.message }
  return { ...answer, body: JSON.stringify({ error: translated }) }
}

/** Adds both usage headers. Which of them graph.instagram.com sends is unknown; sending both is our assumption. */
export function withUsage(instagram: Instagram, username: string | null, answer: Answer): Answer {
  const { instagram_account_usage_percent: set, instagram_insights_per_hour: most } = instagram.settings.get()
  const calls = username === null ? 0 : insightCalls(instagram, username)
  const percent = Math.min(100, set + Math.floor((calls / most) * 100))
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
