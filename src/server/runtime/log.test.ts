import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRepeatFilter, LOG_SERIALIZERS } from './log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Written = {
  readonly level: number
  readonly msg: string
  readonly err?: { stack?: string; message: string }
}

function openLog() {
  const lines: Written[] = []
  const log = pino(
    { base: null, serializers: LOG_SERIALIZERS, hooks: { logMethod: createRepeatFilter() } },
    { write: (line: string) => void lines.push(JSON.parse(line) as Written) },
  )
  return { log, lines, texts: () => lines.map(({ msg }) => msg) }
}

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  })

test('the database away is one line for all who notice, then a count a minute', () => {
  const { log, lines, texts } = openLog()
  for (let i = 0; i < 100; i += 1) {
    log.error({ err: refused() }, 'claiming due deliveries failed')
    log.child({ reqId: `r${i}` }).warn({ err: refused() }, 'answered 503, the client should retry')
    log.warn({ err: new AggregateError([refused()], '') }, 'cannot connect for notifications')
  }
  expect(texts()).toEqual(['the database cannot be used: connect ECONNREFUSED 127.0.0.1:5432'])
  expect(lines[0]?.err?.stack).toBeUndefined()
  vi.advanceTimersByTime(60_000)
  expect(texts().slice(1)).toEqual([
    'the database cannot be used: connect ECONNREFUSED 127.0.0.1:5432 (seen 299 more times in the last minute)',
  ])
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(2)
})

test('it is written at once again when it comes back after a quiet minute', () => {
  const { log, texts } = openLog()
  log.warn('connections are refused')
  vi.advanceTimersByTime(60_000)
  log.warn('connections are refused')
  expect(texts()).toEqual(['connections are refused', 'connections are refused'])
})

test('a delivery whose outcome was not saved stays named, without a stack', () => {
  const { log, lines } = openLog()
  for (const delivery of [1, 2]) log.warn({ err: refused(), delivery }, 'outcome not saved: tried again')
  expect(lines).toMatchObject([
    { msg: 'outcome not saved: tried again', delivery: 1, err: { message: refused().message } },
    { msg: 'outcome not saved: tried again', delivery: 2 },
  ])
  expect(lines[0]?.err?.stack).toBeUndefined()
})

test('a bug is written with its stack, and another one with the same message too', () => {
  const { log, lines } = openLog()
  const one = new TypeError('x is undefined')
  const other = new TypeError('x is undefined')
  for (const err of [one, one, other]) log.error({ err, route: '/posts' }, 'a request failed')
  expect(lines.map(({ err }) => err?.stack)).toEqual([one.stack, other.stack])
})

test('information is never counted', () => {
  const { log, texts } = openLog()
  log.info('started')
  log.info('started')
  expect(texts()).toEqual(['started', 'started'])
})
