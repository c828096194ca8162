import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

test('a few at a time, a short queue, and no for the rest', async () => {
  const gate = createGate({ places: 2, waiting: 1 })
  let inside = 0
  let most = 0
  const finish: (() => void)[] = []
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise<void>((resolve) => finish.push(resolve))
    inside -= 1
    return 'done'
  }
  const first = [gate.run(work), gate.run(work), gate.run(work)]
  expect(await gate.run(work)).toBeNull()
  while (finish.length > 0) {
    finish.shift()?.()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(first)).toEqual(['done', 'done', 'done'])
  expect(most).toBe(2)
})

test('work that fails gives its place back', async () => {
  const gate = createGate({ places: 1, waiting: 0 })
  await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate.run(() => Promise.resolve('yes'))).toBe('yes')
})
