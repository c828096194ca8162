import type { Failure, Stopped } from '#domain/delivery/failure.ts'
import type { Words } from '#domain/delivery/reasons.ts'
import type { Unreachable } from './http.ts'

/** One line of a failure table. `message` says what happened, `remedy` what can be done and by whom; both are sentences for the user. */
export type FailureRule = Words & {
  /** By which what is stored of a failure finds its words again, so it does not change. */
  readonly name?: string
} & (
    | { readonly kind: 'rejected'; readonly againInS?: readonly number[]; readonly stops?: Stopped }
    | {
        readonly kind: 'throttled'
        readonly retryAfterS: number
        readonly laterS?: readonly number[]
        readonly limit: boolean
        readonly stops?: Stopped
      }
    | { readonly kind: 'unreachable' }
    | { readonly kind: 'account'; readonly expired: boolean }
  )

export function toFailure(code: string, rule: FailureRule, detail: string | null): Failure {
  const { message, remedy, needs_change, meanwhile, name, ...kind } = rule
  return {
    ...kind,
    reason: {
      code,
      message,
      remedy,
      ...(needs_change && { needs_change }),
      ...(meanwhile !== undefined && { meanwhile }),
      ...(name !== undefined && { text: { name } }),
      detail: detail === null ? null : excerpt(detail),
    },
  }
}

export const nameRule = (name: string, rule: FailureRule): FailureRule => ({ ...rule, name })

/** Names the lines of a failure table after the table and their codes. */
export const nameRules = <R extends Readonly<Record<string, FailureRule>>>(table: string, rules: R): R =>
  Object.fromEntries(
    Object.entries(rules).map(([code, rule]) => [code, { name: `${table}/${code}`, ...rule }]),
  ) as R // the same keys

export function unreachableFailure(platform: string, reply: Unreachable): Failure {
  const failure = failureOfLoss(platform, reply)
  return failure.kind === 'unreachable' && !reply.maybeExecuted
    ? { ...failure, maybeExecuted: false }
    : failure
}

const failureOfLoss = (platform: string, reply: Unreachable): Failure =>
  reply.cause.startsWith('storage_')
    ? toFailure(
        reply.cause,
        {
          kind: 'unreachable',
          name: 'storage',
          message: 'The stored video could not be read.',
          remedy: 'Ask the person who runs this server to check its storage, then retry.',
          meanwhile:
            'Reelay tries again automatically. If it keeps happening, ask the person who runs this server to check its storage.',
        },
        null,
      )
    : toFailure(
        reply.cause,
        {
          kind: 'unreachable',
          name: `${platform}/unreachable`,
          message: `${platform} could not be reached.`,
          remedy: 'Retry later. If it keeps happening, check the connection of this server.',
        },
        null,
      )

/** Answers with an unknown form or code are shown to the user and never interpreted. */
export const unexpectedFailure = (
  platform: string,
  answer: { readonly status: number; readonly code: string | null; readonly text: string },
): Failure => ({
  kind: 'unexpected',
  status: answer.status,
  reason: {
    code: answer.code ?? `http_${answer.status}`,
    message: `${platform} gave an answer that Reelay does not understand.`,
    remedy: 'Retry later. If it keeps happening, send the details to the person who runs this server.',
    text: { name: `${platform}/unexpected` },
    detail: excerpt(answer.text),
  },
})

/** A failure that can be foreseen, and when it occurs. */
export type FailureCase = { readonly when: 'linking' | 'publishing'; readonly failure: Failure }

export const toFailureCases = (
  when: FailureCase['when'],
  rules: { readonly [code: string]: FailureRule },
): FailureCase[] =>
  Object.entries(rules).map(([code, rule]) => ({ when, failure: toFailure(code, rule, null) }))

const NO_ANSWER = ['timeout', 'network_error', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'storage_error']

/** Failures of any platform: no answer, or an unknown one. Their codes stand for others of their kind. */
export const commonFailures = (platform: string): FailureCase[] =>
  [
    ...NO_ANSWER.map((cause) =>
      unreachableFailure(platform, { kind: 'unreachable', cause, maybeExecuted: true }),
    ),
    unexpectedFailure(platform, { status: 400, code: null, text: '' }),
  ].map((failure) => ({ when: 'publishing', failure }))

const EXCERPT_CHARS = 300

/** The beginning of a platform's words on one line, without possible secrets. */
export const excerpt = (text: string): string =>
  redact(text.slice(0, 4000)).replaceAll(/\s+/g, ' ').trim().slice(0, EXCERPT_CHARS)

/** Removes tokens, codes, secrets, queries of addresses and any long run that could be a secret. */
export const redact = (text: string): string =>
  text
    .replaceAll(/(https?:\/\/[^\s"'<>?]*)\?[^\s"'<>]*/g, '$1?…')
    .replaceAll(
      /((?:access|refresh|upload|id)_token|token|client_secret|appsecret_proof|signature)(["']?\s*[:=]\s*["']?)[^"'&\s,}]+/gi,
      '$1$2…',
    )
    // An authorization code, not an error code such as "scope_not_authorized".
    .replaceAll(/(\bcode["']?\s*[:=]\s*["']?)(?=[^"'&\s,}]*[^a-z_"'&\s,}])[^"'&\s,}]{12,}/g, '$1…')
    .replaceAll(/\b(?:act|rft)\.[^\s"',}]+/g, '…')
    .replaceAll(/[A-Za-z0-9_~+/=-]{36,}/g, '…')
