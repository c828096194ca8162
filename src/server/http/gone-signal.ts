import type { FastifyReply } from 'fastify'

/** Aborts when the client disconnects. Fastify's `request.signal` aborts as soon as the body has arrived. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  raw.once('close', () => gone.abort())
  return gone.signal
}
