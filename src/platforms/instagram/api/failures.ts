import type { Failure } from '#domain/delivery/failure.ts'
import { toFailure, toFailureCases, commonFailures, nameRules } from '../../kit/failure-rule.ts'
import type { FailureRule, FailureCase } from '../../kit/failure-rule.ts'
import {
  GRAPH_RULES,
  MEDIA_RULES,
  NO_PERMISSION,
  UNKNOWN,
  UNKNOWN_MEDIA,
  MESSAGE_RULES,
} from './graph-rules.ts'
import { COMMENT_RULES, COMMENTS_OFF_RULES } from './comment-rules.ts'
import { RESULTS_RULES } from './results-rules.ts'
import { LINK_REFUSED, LINK_MESSAGE_RULES } from './link-rules.ts'
import { AGAIN, LINK_AGAIN, contentRefused, rejected, unreachable } from '../../kit/rules.ts'

export type GraphError = {
  readonly code: number
  readonly subcode: number | null
  readonly message: string
  readonly transient: boolean
}

/** The meaning of Instagram's error; `null` when unknown. */
export function findRule(error: GraphError): FailureRule | null {
  const { code, subcode } = error
  const worded = MESSAGE_RULES.find(([words]) => words.test(error.message))
  if (worded !== undefined) return worded[1]
  const exact = subcode === null ? undefined : GRAPH_RULES[`${code}/${subcode}`]
  if (exact !== undefined) return exact
  const media = subcode === null ? undefined : mediaRule(String(subcode))
  if (media !== undefined) return media
  // Codes 200 to 299 are permissions whose meanings no page lists.
  if (code >= 200 && code <= 299) return NO_PERMISSION
  const plain = GRAPH_RULES[String(code)]
  // Throttling is marked transient too, but its own rule says better what to do.
  return error.transient && plain?.kind !== 'throttled' && plain?.kind !== 'account'
    ? UNKNOWN
    : (plain ?? null)
}

/** The rule of a bare 2207xxx code: its documented one, an observed one, or one retry. */
function mediaRule(subcode: string): FailureRule | undefined {
  if (!/^2207\d{3}$/.test(subcode)) return undefined
  const documented = Object.entries(GRAPH_RULES).find(([key]) => key.endsWith(`/${subcode}`))
  return MEDIA_RULES[subcode] ?? documented?.[1] ?? UNKNOWN_MEDIA
}

/** The `status` of a container in ERROR is a sentence that contains the subcode. */
export function containerFailure(status: string | null): Failure {
  const subcode = /\b2207\d{3}\b/.exec(status ?? '')?.[0] ?? null
  const rule = (subcode === null ? undefined : mediaRule(subcode)) ?? UNKNOWN_MEDIA
  // A container that ended is over, even if its code would be transient as the answer to a call.
  const isEnd = rule.kind === 'rejected' || (rule.kind === 'throttled' && rule.limit)
  return isEnd
    ? toFailure(subcode ?? 'container_error', rule, status)
    : toFailure(subcode ?? 'container_error', UNKNOWN_MEDIA, status)
}

/** The failure in the words of another table, where that one has its code: the same code means something else there. */
export function failureBy(
  rules: Readonly<Record<string, FailureRule>>,
  error: GraphError | null,
  failure: Failure,
): Failure {
  if (error === null) return failure
  const { code, subcode } = error
  const isPermission = code >= 200 && code <= 299
  const exact = rules[`${code}/${subcode ?? ''}`]
  const rule = exact ?? rules[isPermission ? '200' : String(code)]
  return rule === undefined || (code === 4 && exact === undefined)
    ? failure
    : toFailure(failure.reason.code, rule, failure.reason.detail)
}

const OWN_LINK_RULES = nameRules('instagram.link', {
  personal_account: rejected(
    'This is a personal account. Instagram lets apps post only to Business and Creator accounts.',
    'Switch it to a Business or Creator account in the Instagram app, then link it again.',
  ),
})
const OWN_POST_RULES = nameRules('instagram.own', {
  options: rejected('The options of this post cannot be read.', 'Make a new post.'),
  session: rejected('Reelay cannot continue this post where it stopped.', AGAIN, [1]),
  account_id: rejected('Reelay cannot read which account this is.', LINK_AGAIN),
  cover_gone: contentRefused(
    'The cover picture of this post is not stored any more.',
    'Choose "Edit and resend" and another cover.',
  ),
  container_expired: rejected('The post waited too long at Instagram and expired.', AGAIN, [5, 60]),
  container_slow: rejected('Instagram did not finish processing the video within an hour.', AGAIN, [60, 600]),
  container_unreadable: unreachable('Instagram could not say whether it has the video.'),
  container_open: unreachable('Instagram could not say whether the post is live.'),
})
const OWN_RULES = { ...OWN_LINK_RULES, ...OWN_POST_RULES }

export const ownFailure = (code: keyof typeof OWN_RULES, detail: string | null = null): Failure =>
  toFailure(code, OWN_RULES[code], detail)

export const FAILURE_CASES: readonly FailureCase[] = [
  ...toFailureCases('publishing', GRAPH_RULES),
  ...toFailureCases('publishing', {
    '200-299': NO_PERMISSION,
    http_500: UNKNOWN,
    http_502: UNKNOWN,
    http_503: UNKNOWN,
  }),
  ...toFailureCases('publishing', MEDIA_RULES),
  ...toFailureCases('publishing', { '2207xxx': UNKNOWN_MEDIA, container_error: UNKNOWN_MEDIA }),
  ...MESSAGE_RULES.flatMap(([, rule]) => toFailureCases('publishing', { '': rule })),
  ...LINK_MESSAGE_RULES.flatMap(([, code, rule]) => toFailureCases('linking', { [code]: rule })),
  ...toFailureCases('linking', { link_refused: LINK_REFUSED, ...OWN_LINK_RULES }),
  ...toFailureCases('publishing', OWN_POST_RULES),
  ...toFailureCases('publishing', COMMENT_RULES),
  ...toFailureCases('publishing', COMMENTS_OFF_RULES),
  ...toFailureCases('publishing', RESULTS_RULES),
  ...commonFailures('Instagram'),
]
