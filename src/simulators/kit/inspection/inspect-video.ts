import { Worker } from 'node:worker_threads'
import type { Answer, MediaFacts, Question } from './read-facts.ts'

export type { MediaFacts }

/** Then the thread ends, and with it goes the memory of the library that it loaded. */
const IDLE_MS = 10_000

type Thread = { inspect(path: string): Promise<MediaFacts | null> }

let running: Thread | null = null

/** Reads the real file, in a thread of its own; null when it is no video that can be read. */
export function inspectVideo(path: string): Promise<MediaFacts | null> {
  running ??= startThread()
  return running.inspect(path)
}

function startThread(): Thread {
  // Not `--import small-memory`: its V8 flags and its timer already cover the whole process.
  const worker = new Worker(new URL('./read-facts.ts', import.meta.url), { execArgv: [] })
  const pending = new Map<number, PromiseWithResolvers<MediaFacts | null>>()
  let lastId = 0
  let idleTimer: NodeJS.Timeout | undefined
  let cause: unknown = new Error('The thread that reads videos has ended.')
  const thread: Thread = {
    inspect(path) {
      clearTimeout(idleTimer)
      const question: Question = { id: (lastId += 1), path }
      const answer = Promise.withResolvers<MediaFacts | null>()
      pending.set(question.id, answer)
      worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no target origin
      worker.postMessage(question)
      return answer.promise
    },
  }
  const forget = (): void => {
    if (running === thread) running = null
  }
  const stopThread = (): void => {
    forget()
    void worker.terminate()
  }
  worker.on('message', ({ id, facts }: Answer) => {
    pending.get(id)?.resolve(facts)
    pending.delete(id)
    if (pending.size > 0) return
    // An idle thread must not keep a process that has nothing else to do.
    worker.unref()
    idleTimer = setTimeout(stopThread, IDLE_MS).unref()
  })
  worker.on('error', (error: unknown) => {
    cause = error
  })
  worker.on('exit', () => {
    forget()
    clearTimeout(idleTimer)
    for (const { reject } of pending.values()) reject(cause)
  })
  return thread
}
