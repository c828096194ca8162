import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'
import type { Caller, SemaphoreSize } from './semaphore.ts'

async function busySemaphore(size: SemaphoreSize) {
  const semaphore = createSemaphore(size)
  const entered: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const running = Array.from({ length: size.permits }, () => semaphore.run(() => released.then(() => true)))
  const enter = (name: string, caller: Caller) =>
    semaphore.run(async () => {
      entered.push(name)
      return name
    }, caller)
  const finish = async (waiting: readonly Promise<unknown>[]) => {
    release()
    await Promise.all([...running, ...waiting])
    return entered
  }
  return { enter, finish }
}

const stranger = (key: string): Caller => ({ key, known: false })
const known = (key: string): Caller => ({ key, known: true })

test('tasks beyond the permits and the waiters are rejected', async () => {
  const semaphore = createSemaphore({ permits: 2, maxWaiting: 1 })
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
  const first = [semaphore.run(work), semaphore.run(work), semaphore.run(work)]
  expect(await semaphore.run(work)).toBeNull()
  while (finish.length > 0) {
    finish.shift()?.()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(first)).toEqual(['done', 'done', 'done'])
  expect(most).toBe(2)
})

test('a task that fails returns its permit', async () => {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: 0 })
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await semaphore.run(() => Promise.resolve('yes'))).toBe('yes')
})

test('one key cannot take all places', async () => {
  const { enter, finish } = await busySemaphore({ permits: 1, maxWaiting: 10, maxWaitingPerKey: 2 })
  const flood = Array.from({ length: 20 }, (_, index) => enter(`flood ${index}`, stranger('a')))
  const others = [enter('other', stranger('b'))]
  expect(await finish([...flood, ...others])).toEqual(['flood 0', 'other', 'flood 1'])
})

test('keys take turns', async () => {
  const { enter, finish } = await busySemaphore({ permits: 1, maxWaiting: 10 })
  const waiting = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name, stranger(name.slice(0, 1))))
  expect(await finish(waiting)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a full waiting list drops from the key with most tasks for a key with fewer', async () => {
  const { enter, finish } = await busySemaphore({ permits: 1, maxWaiting: 4 })
  const flood = ['a1', 'a2', 'a3', 'b1', 'a4'].map((name) => enter(name, stranger(name.slice(0, 1))))
  const others = ['c1', 'd1'].map((name) => enter(name, stranger(name.slice(0, 1))))
  expect(await finish([...flood, ...others])).toEqual(['a1', 'b1', 'c1', 'd1'])
  expect(await Promise.all(flood)).toEqual(['a1', null, null, 'b1', null])
})

test('many unknown callers leave the reserved permits to known ones', async () => {
  const { enter, finish } = await busySemaphore({ permits: 1, maxWaiting: 4, reservedForKnown: 2 })
  const strangers = Array.from({ length: 9 }, (_, index) => enter(`stranger ${index}`, stranger(`${index}`)))
  const waiting = [...strangers, ...['x', 'y', 'z'].map((key) => enter(key, known(key)))]
  expect(await finish(waiting)).toEqual(['x', 'stranger 0', 'y', 'stranger 1'])
})

test('whoever has gone gives up the place, and the next of the same key has it', async () => {
  const { enter, finish } = await busySemaphore({ permits: 1, maxWaiting: 3 })
  const leaving = new AbortController()
  const gone = enter('a1', { ...stranger('a'), gone: leaving.signal })
  const others = [enter('a2', stranger('a')), enter('b1', stranger('b'))]
  leaving.abort()
  expect(await gone).toBeNull()
  expect(await enter('a3', { ...stranger('a'), gone: leaving.signal })).toBeNull()
  // As many may wait as before.
  others.push(enter('a4', stranger('a')))
  expect(await finish(others)).toEqual(['a2', 'b1', 'a4'])
})
