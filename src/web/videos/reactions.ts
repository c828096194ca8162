import { ApiProblem, readProblem } from '#web/api/api.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { TusFailure } from './tus-requests.ts'

/** What follows from an attempt that failed. */
export type Reaction =
  /** `note`: what the server said; null: the network did not get through. `mayBeTooLarge`: a smaller part may get through. */
  | {
      readonly kind: 'wait'
      readonly afterS: number | null
      readonly note: string | null
      readonly mayBeTooLarge: boolean
    }
  /** The token is too old. */
  | { readonly kind: 'renew'; readonly error: ApiProblem }
  /** Another tab or device continues it. */
  | { readonly kind: 'displaced' }
  /** A proxy refuses requests of this length. */
  | { readonly kind: 'smaller'; readonly error: ApiProblem }
  | { readonly kind: 'refused'; readonly error: Error }

/** Statuses that say "later" rather than "no". */
const LATER: readonly number[] = [408, 409, 425, 429]
/** Of 5xx, these say "no": not implemented, and no room in the user's or the server's storage. */
const NEVER: readonly number[] = [501, 507]

const PROXY_REFUSES_PARTS =
  'A proxy between this page and the server refuses even small parts of the video. Contact the person who runs this server.'

const PROXY_ASKS_FOR_LOGIN =
  'Something between this page and the server asks for a log-in of its own (status 401). Reload the page and log in there, then choose the file again.'

export function reactionTo(failure: unknown): Reaction {
  if (failure instanceof ApiProblem) return toProblem(failure)
  if (!(failure instanceof TusFailure))
    return { kind: 'refused', error: failure instanceof Error ? failure : new Error(String(failure)) }
  const { status, method, retryAfter } = failure
  if (failure.cause instanceof ApiProblem) return toProblem(failure.cause)
  if (status === null) return NO_ANSWER
  const problem = readProblem(jsonOf(failure.body), retryAfter, failure)
  const afterS = problem?.retryAfterS ?? (Number(retryAfter) || null)
  // The server's own words say what is wrong; only of a part that took too long a smaller one may help.
  const mayBeTooLarge = problem === null || status === 408
  const wait = { kind: 'wait', afterS, note: problem?.message ?? null, mayBeTooLarge } as const
  // To HEAD nobody answers with words: a second 401 ends the upload, and only the server's own the session.
  if (status === 401) {
    const error = problem ?? foreign(status, failure, PROXY_ASKS_FOR_LOGIN)
    return { kind: problem !== null || method === 'HEAD' ? 'renew' : 'refused', error }
  }
  if (status === 423 && method !== 'PATCH') return wait
  if (status === 423 && problem !== null) return { kind: 'displaced' }
  // Whether it is gone is asked in a call, whose answer a proxy cannot be mistaken for.
  if (isMissing(status) && (method !== 'POST' || problem === null)) return wait
  if (status === 413 && problem === null)
    return { kind: 'smaller', error: foreign(status, failure, PROXY_REFUSES_PARTS) }
  // Too many unfinished uploads stay too many; too many at the same time do not.
  if (status === 429 && method === 'POST' && problem !== null) return { kind: 'refused', error: problem }
  if (LATER.includes(status) || (status >= 500 && !NEVER.includes(status)))
    return status === 409 ? { ...wait, note: null } : wait
  return { kind: 'refused', error: problem ?? foreign(status, failure) }
}

const NO_ANSWER: Reaction = { kind: 'wait', afterS: null, note: null, mayBeTooLarge: true }

const isMissing = (status: number): boolean => status === 404 || status === 410

function toProblem(problem: ApiProblem): Reaction {
  if (problem.kind === 'unreachable' || problem.kind === 'unreadable' || problem.kind === 'aborted')
    return NO_ANSWER
  const isLater =
    problem.code === 'unavailable' || problem.code === 'internal' || problem.code === 'too_many_requests'
  return isLater
    ? { kind: 'wait', afterS: problem.retryAfterS, note: problem.message, mayBeTooLarge: false }
    : { kind: 'refused', error: problem }
}

/** An answer in nobody's words. */
const foreign = (status: number, cause: unknown, message?: string) =>
  new ApiProblem({
    kind: 'refused',
    message: message ?? `Something between this page and the server refused the upload (status ${status}).`,
    cause,
  })
