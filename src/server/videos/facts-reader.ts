import { flushCompileCache, registerHooks } from 'node:module'
import type { Bytes } from '#domain/video-check/media-index.ts'
import type { FromReader, ToReader } from './facts.ts'

// A process of its own, started by `facts.ts`, whose memory and time are limited: see there. It sees what it is given, and
// nothing else.

// The package's bundle: one file instead of 70, whose loading took most of the CPU time of a start.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return specifier === 'mediabunny'
      ? { ...found, url: new URL('../../bundles/mediabunny.mjs', found.url).href }
      : found
  },
})
const { CustomSource, Input } = await import('mediabunny')
const { readVideoFacts, VIDEO_FORMATS } = await import('#domain/video-check/video-facts.ts')

// Node writes it when a process ends by itself, and this one is killed.
flushCompileCache()

const size = Number(process.argv[2])
const asked: ((bytes: Uint8Array<ArrayBuffer>) => void)[] = []
process.on('message', (message: ToReader) => asked.shift()?.(new Uint8Array(message.bytes)))
process.on('disconnect', () => process.exit())
const say = (message: FromReader) => process.send?.(message)

/** Answers come in the order of the questions; one that fails ends this process. */
const read: Bytes = (first, last) =>
  new Promise((resolve) => {
    asked.push(resolve)
    say({ kind: 'read', first, last })
  })

const input = new Input({
  source: new CustomSource({
    getSize: () => size,
    read: (start, end) => read(start, end - 1),
    prefetchProfile: 'fileSystem',
    // A failed prefetch; a later read of the same bytes reports the error.
    handleUnhandledError: () => {},
  }),
  formats: VIDEO_FORMATS,
})
say({ kind: 'facts', facts: await readVideoFacts(input, read, size) })
