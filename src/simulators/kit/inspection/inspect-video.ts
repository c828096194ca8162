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
  // Without our own flags: what they load works for the whole process already.
  const worker = new Worker(new URL('./read-facts.ts', import.meta.url), { execArgv: [] })
  const open = new Map<number, PromiseWithResolvers<MediaFacts | null>>()
  let asked = 0
  let ending: NodeJS.Timeout | undefined
  const thread: Thread = {
    inspect(path) {
      clearTimeout(ending)
      const question: Question = { id: (asked += 1), path }
      const answer = Promise.withResolvers<MediaFacts | null>()
      open.set(question.id, answer)
      worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no target origin
      worker.postMessage(question)
      return answer.promise
    },
  }
  const end = (): void => {
    if (running === thread) running = null
    void worker.terminate()
  }
  worker.on('message', ({ id, facts }: Answer) => {
    open.get(id)?.resolve(facts)
    open.delete(id)
    if (open.size > 0) return
    // An idle thread must not keep a process that has nothing else to do.
    worker.unref()
    ending = setTimeout(end, IDLE_MS).unref()
  })
  worker.on('error', (error) => {
    for (const { reject } of open.values()) reject(error)
    end()
  })
  return thread
}
