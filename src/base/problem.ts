import { refusalPath } from '#contract/http/addresses.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { PROBLEMS, type ProblemBody, type ProblemCode, type Repeat } from '#contract/http/problem.ts'

/** The same request may succeed later, without anybody changing anything. */
const RETRYABLE: ReadonlySet<ProblemCode> = new Set([
  'locked',
  'too_many_requests',
  'internal',
  'platform_failed',
  'unavailable',
])
export const isRetryable = (code: ProblemCode): boolean => RETRYABLE.has(code)

/** An answer other than success: thrown anywhere in a handler, answered by `app.ts`. Our own bugs are not Problems. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly errors: Record<string, string[]> | undefined
  readonly retryAfterS: number | undefined
  readonly repeats: readonly Repeat[] | undefined

  constructor(
    code: ProblemCode,
    message: string,
    extra: {
      errors?: Record<string, string[]>
      retryAfterS?: number
      repeats?: readonly Repeat[]
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: extra.cause })
    this.code = code
    this.errors = extra.errors
    this.retryAfterS = extra.retryAfterS
    this.repeats = extra.repeats
  }

  get status(): number {
    return PROBLEMS[this.code]
  }

  body(): ProblemBody {
    return {
      message: this.message,
      code: this.code,
      retryable: isRetryable(this.code),
      docs: refusalPath(this.code),
      ...(this.errors && { errors: this.errors }),
      ...(this.repeats && { repeats: [...this.repeats] }),
    }
  }
}

/** One text for missing and foreign things, so that nobody learns which it is. */
export const notFound = (what: string) => new Problem('not_found', `This ${what} doesn't exist.`)

export const platformOff = (platform: PlatformId) =>
  new Problem('platform_off', `${PLATFORM_NAMES[platform]} is not set up on this server.`)
