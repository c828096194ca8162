import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createShutdown, DEADLINES_MS, type Shutdown } from './shutdown.ts'

let said: string[]
let shutdown: Shutdown
beforeEach(() => {
  vi.useFakeTimers()
  said = []
  shutdown = createShutdown({
    exit: (code) => said.push(`exit ${code}`),
    report: (error) => said.push(String(error)),
  })
})
afterEach(() => vi.useRealTimers())

const stops = (name: string, until: Promise<void> = Promise.resolve()) => {
  return async () => {
    said.push(`stop ${name}`)
    await until
  }
}
const never = new Promise<void>(() => {})

it('a worker stops claiming while the web side still answers', async () => {
  const answered = Promise.withResolvers<void>()
  shutdown.addResource(stops('database'))
  shutdown.addWork(stops('worker'))
  shutdown.addWork(stops('web', answered.promise))
  const ended = shutdown.end(0)
  await vi.advanceTimersByTimeAsync(DEADLINES_MS.work - 1)
  expect(said).toEqual(['stop worker', 'stop web'])
  answered.resolve()
  await ended
  expect(said.slice(2)).toEqual(['stop database', 'exit 0'])
})

it('resources are closed in reverse order, also after one that fails', async () => {
  shutdown.addResource(stops('database'))
  shutdown.addResource(() => Promise.reject(new Error('broken')))
  shutdown.addResource(stops('connections'))
  await shutdown.end(0)
  expect(said).toEqual(['stop connections', 'stop database', 'exit 0'])
})

it('one deadline holds for everything, and a drain moves it on', async () => {
  for (const name of ['first', 'second', 'third']) shutdown.addResource(stops(name, never))
  shutdown.addWork(stops('worker', never))
  shutdown.extend(3_000)
  void shutdown.end(0)
  await vi.advanceTimersByTimeAsync(DEADLINES_MS.all + 3_000 - 1)
  expect(said).not.toContain('exit 0')
  await vi.advanceTimersByTimeAsync(10)
  expect(said).toEqual(['stop worker', 'stop third', 'stop second', 'stop first', 'exit 0'])
})

it('a failed start is reported and ends the process with 1', async () => {
  shutdown.addResource(stops('database'))
  await shutdown.run(() => Promise.reject(new Error('no port')))
  expect(said).toEqual(['Error: no port', 'stop database', 'exit 1'])
})

it('an error that comes while the process ends is not reported', async () => {
  const opened = Promise.withResolvers<void>()
  const run = shutdown.run(async () => {
    await opened.promise
    shutdown.addResource(stops('database'))
    shutdown.signal.throwIfAborted()
  })
  const ended = shutdown.end(0)
  opened.resolve()
  await Promise.all([run, ended])
  expect(said).toEqual(['stop database', 'exit 0'])
})

it('a start that hangs is not waited for', async () => {
  void shutdown.run(() => never)
  void shutdown.end(0)
  await vi.advanceTimersByTimeAsync(DEADLINES_MS.start)
  expect(said).toEqual(['exit 0'])
})

it('the first reason to end decides the exit code', async () => {
  await Promise.all([shutdown.end(1), shutdown.end(0)])
  expect(said).toEqual(['exit 1'])
})
