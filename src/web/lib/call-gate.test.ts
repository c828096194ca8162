import { expect, test } from 'vitest'
import { createCallGate } from './call-gate.ts'

test('only so many calls run at a time, and one that fails makes room for the next', async () => {
  const gate = createCallGate(2)
  let running = 0
  let most = 0
  const work = (value: number) =>
    gate(async () => {
      most = Math.max(most, (running += 1))
      for (let tick = 0; tick < value; tick += 1) await Promise.resolve()
      running -= 1
      if (value === 3) throw new Error('offline')
      return value * 10
    })
  const results = await Promise.allSettled([3, 1, 2, 5, 4].map(work))
  expect(results.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'failed',
    10,
    20,
    50,
    40,
  ])
  expect(most).toBe(2)
})
