import type { IncomingMessage } from 'node:http'

/** A request's body as a web stream that ends early and quietly: whatever has arrived counts. */
export type BodyStream = { readonly stream: ReadableStream<Uint8Array>; end(): void }

/**
 * `Readable.toWeb` would fail the stream when the client goes away, and would keep the body from being drained after a refusal.
 */
export function openBody(raw: IncomingMessage): BodyStream {
  let end: (() => void) | null = null
  let detach: (() => void) | null = null
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const onData = (chunk: Buffer) => {
      controller.enqueue(chunk)
      if ((controller.desiredSize ?? 0) <= 0) raw.pause()
    }
    const endNow = () => {
      detach?.()
      controller.close()
    }
    detach = () => {
      raw.off('data', onData).off('end', endNow).off('close', endNow)
      detach = end = null
    }
    end = endNow
    // Without a listener an aborted request would end the process.
    raw.on('error', () => {})
    raw.on('data', onData).on('end', endNow).on('close', endNow)
    raw.pause()
    // The client left before this was called: no event follows.
    if (raw.destroyed) endNow()
  }
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: HELD_BYTES })
  const stream = new ReadableStream(
    { start, pull: () => void raw.resume(), cancel: () => detach?.() },
    strategy,
  )
  return { stream, end: () => end?.() }
}

/** Read ahead of the disk. */
const HELD_BYTES = 262_144
