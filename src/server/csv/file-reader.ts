import { parentPort, workerData } from 'node:worker_threads'
import { readFile } from './read-file.ts'

// A thread of its own, started by `read-apart.ts`, which gives it the file's text.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port to a thread has no origin
parentPort?.postMessage(readFile(workerData as string))
