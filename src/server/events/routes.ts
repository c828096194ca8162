import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { API } from '#contract/api/api.ts'
import type { Bus } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import { type CallerDeps, requireCaller } from '../http/caller.ts'
import type { MountDeps } from '../http/mount.ts'
import { Problem } from '#base/problem.ts'
import { stopping } from '../runtime/drain.ts'
import { createStreams, STREAMS_PER_USER, UNREAD_MAX_BYTES } from './streams.ts'

type EventDeps = CallerDeps & Pick<MountDeps, 'userLimit'> & { readonly db: Db; readonly bus: Bus }

const MEDIA_TYPE = 'text/event-stream; charset=utf-8'
const HEARTBEAT_MS = 20_000
/** Bytes written before the end of a stream are read within this time, or never. */
const END_MAX_MS = 10_000
const RETRY_AFTER_S = 60

/** Server-sent events of the user's deliveries; `Last-Event-ID` replays missed ones. Best effort: the lists are authoritative. */
export function mountEvents(app: FastifyInstance, deps: EventDeps): void {
  const endpoint = API.streamEvents
  const streams = createStreams(deps, (error) =>
    app.log.warn({ err: error }, 'event streams ended: a change could not be read'),
  )
  app.addHook('onClose', async () => streams.close())
  // The clients reconnect to another process.
  app.draining.addEventListener('abort', () => streams.endAll())
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const { user } = await requireCaller(deps, endpoint, request, reply)
      // Fastify answers HEAD with this handler too, and without a body the response would never end.
      if (request.method === 'HEAD') return reply.type(MEDIA_TYPE).send()
      const { raw } = reply
      // A page that reconnected to this process would delay its end.
      if (app.draining.aborted) throw stopping()
      // The client may have disconnected during authentication.
      if (raw.destroyed) return reply.hijack()
      // Stop writing to a client that does not read.
      const write = (frames: string | Buffer) => {
        if (raw.destroyed || raw.writableEnded || frames.length === 0) return
        if (raw.writableLength > UNREAD_MAX_BYTES) raw.destroy()
        else raw.write(frames)
      }
      const end = () => {
        if (raw.destroyed || raw.writableEnded) return
        raw.end()
        raw.setTimeout(END_MAX_MS, () => raw.destroy())
      }
      const inTurn = (read: () => Promise<void>) => deps.userLimit.run(user.user_id, raw, read)
      // A stream ends when its token expires or its session ends.
      const check = () => {
        requireCaller(deps, endpoint, request, reply)
          .then(() => write(': still here\n\n'))
          .catch(end)
      }
      const since = Number(request.headers['last-event-id'])
      const lastEventId = Number.isSafeInteger(since) && since > 0 ? since : null
      const leave = streams.join(user.user_id, { write, inTurn, check, end }, lastEventId)
      // Pages without a stream poll their lists every few seconds.
      if (!leave)
        throw new Problem(
          'too_many_requests',
          `At most ${STREAMS_PER_USER} pages can follow their posts live.`,
          {
            retryAfterS: RETRY_AFTER_S,
          },
        )
      const heartbeat = setInterval(check, HEARTBEAT_MS)
      raw.on('close', () => {
        leave()
        clearInterval(heartbeat)
      })
      reply.hijack()
      raw.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders), // Fastify allows undefined in its type
        'content-type': MEDIA_TYPE,
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      raw.write(': hello\n\n')
      return reply
    },
  })
}
