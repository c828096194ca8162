import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createSemaphore } from '#base/semaphore.ts'
import { Problem } from '#base/problem.ts'
import type { File } from './read-file.ts'

const PROGRAM = fileURLToPath(new URL('file-reader.ts', import.meta.url))
/** One file at a time: it takes a second at most, and its size is limited. */
const READERS = createSemaphore({ permits: 1, maxWaiting: 50, maxWaitingPerKey: 4 })
const RETRY_AFTER_S = 10

/**
 * Runs `readFile` in a thread: two megabytes of white space keep the parser busy for a second. @throws Problem
 * too_many_requests if too many files of this user, or in total, wait
 */
export async function readFileApart(userId: number, csv: string): Promise<File> {
  const file = await READERS.run(() => readInThread(csv), { key: String(userId), known: false })
  if (file === null)
    throw new Problem(
      'too_many_requests',
      'Too many files are being read right now. Try again in a few seconds.',
      { retryAfterS: RETRY_AFTER_S },
    )
  return file
}

function readInThread(csv: string): Promise<File> {
  const thread = new Worker(PROGRAM, { workerData: csv })
  return new Promise((resolve, reject) => {
    thread.on('message', (file: File) => resolve(file))
    thread.on('error', reject)
    thread.on('exit', () => reject(new Error('The thread that reads a file of posts has ended too early.')))
  })
}
