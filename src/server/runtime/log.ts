import { pino, type Logger, type LoggerOptions } from 'pino'
import { isDatabaseDown } from '#base/database-down.ts'
import { systemCode } from '#base/system-error.ts'
import type { Config } from './config.ts'

/** Log lines wait in memory up to this size while stdout blocks; further ones are dropped. */
const WAITING_MAX_BYTES = 1_000_000

/** Writes to stdout. At `debug` and below every line is written with its stack. */
export function createLog(config: Pick<Config, 'logLevel' | 'production'>): Logger {
  const isTalkative = ['debug', 'trace'].includes(config.logLevel)
  const stdout = pino.destination({ dest: 1, sync: true, maxLength: WAITING_MAX_BYTES })
  // A full disk or a closed pipe must not end the server: a later line retries.
  stdout.on('error', () => {})
  return pino(
    {
      level: config.logLevel,
      // The multipart parser logs form contents at the level `trace`.
      redact: ['req.headers.authorization', 'busboyOptions.headers', 'err.config'],
      serializers: LOG_SERIALIZERS,
      ...(config.production ? {} : { base: null }),
      ...(isTalkative ? {} : { hooks: { logMethod: createRepeatFilter() } }),
    },
    // No `flushSync`: pino calls it after a fatal line, and it never returns while the disk is full.
    { write: (line: string) => void stdout.write(line) },
  )
}

/** Values that `shorten` made stay unchanged. */
export const LOG_SERIALIZERS = {
  err: (error: unknown) => (error instanceof Error ? pino.stdSerializers.err(error) : error),
}

const WARN = 40
const WINDOW_MS = 60_000
/** Counts repeats of at most this many different lines. */
const LINES_MAX = 1_000

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/**
 * Writes a new warning or error at once, and repeats of it once a minute with their number. Only our own bugs have a stack;
 * an unreachable database is one line, wherever it was noticed.
 */
export function createRepeatFilter(): LogMethod {
  const repeats = new Map<string, number>()
  return function (args, method, level) {
    const line = level < WARN ? null : readLine(args)
    if (line === null) return method.apply(this, args)
    const { fields, text, key } = line
    const before = repeats.get(key)
    if (before !== undefined) {
      repeats.set(key, before + 1)
      return
    }
    method.call(this, fields, text)
    if (repeats.size >= LINES_MAX) return
    repeats.set(key, 0)
    const timer = setInterval(() => {
      const count = repeats.get(key) ?? 0
      if (count === 0) {
        clearInterval(timer)
        repeats.delete(key)
        return
      }
      repeats.set(key, 0)
      const times = count === 1 ? 'once more' : `${count} more times`
      method.call(this, fields, `${text} (seen ${times} in the last minute)`)
    }, WINDOW_MS)
    timer.unref()
  }
}

type Line = { readonly fields: object; readonly text: string; readonly key: string }

/** Null for arguments that pino formats. */
function readLine(args: readonly unknown[]): Line | null {
  const [first, second] = args
  if (args.length > 2 || (args.length === 2 && typeof second !== 'string')) return null
  const { err, ...about }: { err?: unknown } =
    first instanceof Error ? { err: first } : typeof first === 'object' && first !== null ? first : {}
  const said = typeof first === 'string' ? first : typeof second === 'string' ? second : ''
  const cause = err instanceof Error ? causeOf(err) : null
  const text =
    cause !== null && isDatabaseDown(cause) && Object.keys(about).length === 0
      ? `the database cannot be used: ${cause.message}`
      : said
  const isOurs = cause === null || !(isDatabaseDown(cause) || 'syscall' in cause)
  const fields =
    cause === null
      ? { ...about, ...(err !== undefined && { err }) }
      : { ...about, err: isOurs ? err : shorten(cause) }
  const names = Object.values(about).filter((value) => typeof value !== 'object')
  const what = cause === null ? '' : isOurs ? (cause.stack ?? '').slice(0, 1_000) : cause.message
  return { fields, text, key: [text, what, ...names].join('\n') }
}

/** A host with several addresses fails with an error for each, and no message of its own. */
function causeOf(error: Error): Error {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first : error
}

const shorten = (error: Error) => ({ type: error.name, message: error.message, code: systemCode(error) })
