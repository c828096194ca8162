import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { MediaFacts } from './read-facts.ts'

export type { MediaFacts }

/** The idle thread ends to free the library's memory. */
const IDLE_MS = 10_000
/** Some files keep the library in an endless loop. */
const LONGEST_MS = 60_000

let thread: Worker | null = null
let idleTimer: NodeJS.Timeout | undefined
let before: Promise<unknown> = Promise.resolve()

/** Reads the real file in a thread, one file at a time. @returns null when it is no video that can be read in that time */
export function inspectVideo(path: string, longestMs = LONGEST_MS): Promise<MediaFacts | null> {
  const facts = before.then(() => readApart(path, longestMs))
  before = facts.catch(() => null)
  return facts
}

async function readApart(path: string, longestMs: number): Promise<MediaFacts | null> {
  clearTimeout(idleTimer)
  thread ??= new Worker(new URL('./read-facts.ts', import.meta.url))
  thread.ref()
  const longest = AbortSignal.timeout(longestMs)
  try {
    const answered = once(thread, 'message', { signal: longest })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no target origin
    thread.postMessage(path)
    const [facts] = (await answered) as [MediaFacts | null] // what `read-facts.ts` answers
    // An idle thread must not keep a process that has nothing else to do.
    thread.unref()
    idleTimer = setTimeout(() => void stopThread(), IDLE_MS).unref()
    return facts
  } catch (error) {
    await stopThread()
    if (longest.aborted) return null
    throw error
  }
}

async function stopThread(): Promise<void> {
  const stopped = thread
  thread = null
  await stopped?.terminate()
}
