import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repeatRounds } from './repeat-rounds.ts'

const DUE_EACH_MS = 40

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

function startWorkers(count: number) {
  const began = Date.now()
  const late: number[] = []
  let claimed = 0
  const rounds = Array.from({ length: count }, () => 0)
  const workers = rounds.map((_, i) =>
    repeatRounds(
      { bus: { onWake: () => () => {} }, log: pino({ level: 'silent' }) },
      {
        what: 'rows',
        pollMs: 5000,
        apartMs: 50,
        now: Date.now,
        async claim() {
          rounds[i] = (rounds[i] ?? 0) + 1
          const due = Math.floor((Date.now() - began) / DUE_EACH_MS)
          const found = due - claimed
          for (; claimed < due; claimed += 1) late.push(Date.now() - began - (claimed + 1) * DUE_EACH_MS)
          return found
        },
        nextAt: async () => began + (Math.floor((Date.now() - began) / DUE_EACH_MS) + 1) * DUE_EACH_MS,
      },
    ),
  )
  return {
    late,
    rounds: () => rounds.reduce((sum, one) => sum + one, 0),
    stop: () => Promise.all(workers.map((worker) => worker.stop())),
  }
}

it('fifty workers make few rounds for what one of them finds, and find it soon', async () => {
  const workers = startWorkers(50)
  await vi.advanceTimersByTimeAsync(10_000)
  const before = workers.rounds()
  await vi.advanceTimersByTimeAsync(10_000)
  expect((workers.rounds() - before) / 10).toBeLessThan(200)
  expect(Math.max(...workers.late)).toBeLessThanOrEqual(500)
  await workers.stop()
})

it('one worker looks whenever something is due', async () => {
  const worker = startWorkers(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(Math.max(...worker.late)).toBeLessThanOrEqual(50)
  await worker.stop()
})

it('a worker that came too late often stops at once', async () => {
  const workers = startWorkers(50)
  await vi.advanceTimersByTimeAsync(10_000)
  const before = Date.now()
  await workers.stop()
  expect(Date.now()).toBe(before)
})

it('a woken worker that finds nothing looks once a second, and stops at once', async () => {
  const sleeping: (() => void)[] = []
  const rounds: number[] = []
  const began = Date.now()
  const worker = repeatRounds(
    { bus: { onWake: (wake) => (sleeping.push(wake), () => {}) }, log: pino({ level: 'silent' }) },
    {
      what: 'rows',
      pollMs: 5000,
      idleApartMs: 1000,
      now: Date.now,
      async claim() {
        rounds.push(Date.now() - began)
        return 0
      },
      nextAt: async () => null,
    },
  )
  for (let i = 0; i < 29; i++) {
    await vi.advanceTimersByTimeAsync(100)
    sleeping.forEach((wake) => wake())
  }
  expect(rounds).toEqual([0, 1000, 2000])
  const before = Date.now()
  await worker.stop()
  expect(Date.now()).toBe(before)
})
