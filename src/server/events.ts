import type { FastifyInstance } from 'fastify'
import { API } from '#contract/api.ts'
import type { Reply } from '#contract/endpoint.ts'
import type { Bus } from './bus.ts'
import type { Db } from './db/open.ts'
import { getDelivery, listEvents } from './deliveries/read.ts'
import { userOf, type MountDeps } from './mount.ts'

type EventDeps = Pick<MountDeps, 'authenticate'> & { readonly db: Db; readonly bus: Bus }

const HEARTBEAT_MS = 20_000
const UNREAD_MAX_BYTES = 1_048_576
/** More than this was missed: the client is told to load the list again. */
const REPLAY_MAX = 500

/**
 * Server-sent events of the user's deliveries. A client that comes back with `Last-Event-ID` first hears what it missed.
 * Best effort by nature: the list is the truth, this only says when to look.
 */
export function mountEvents(app: FastifyInstance, deps: EventDeps): void {
  const endpoint = API.streamEvents
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const user = await userOf(deps, endpoint, request)
      if (!user) throw new Error('The event stream is for signed-in users.')
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      raw.write(': hello\n\n')

      // One after the other, in order; what cannot be told any more is dropped with the connection.
      let turn = Promise.resolve()
      const tell = (news: { readonly deliveryId: number; readonly eventId: number | null }) => {
        turn = turn
          .then(async () => {
            const [delivery, [event = null]] = await Promise.all([
              getDelivery(deps.db, user.user_id, news.deliveryId),
              news.eventId === null ? [] : listEvents(deps.db, user.user_id, { eventId: news.eventId }, 1),
            ])
            if (delivery && !raw.destroyed) raw.write(frame({ event, delivery }))
          })
          .catch((error: unknown) => {
            request.log.warn({ err: error }, 'an event stream ended')
            raw.destroy()
          })
      }

      const unsubscribe = deps.bus.onNews(({ userId, deliveryId, eventId }) => {
        if (userId !== user.user_id) return
        if (deliveryId === null) look()
        else tell({ deliveryId, eventId })
      })
      // A stream ends with what let it in: the token's hour, or the session. A client that does not listen is not written to.
      const beat = async () => {
        await userOf(deps, endpoint, request)
        if (raw.writableLength > UNREAD_MAX_BYTES) raw.destroy()
        else raw.write(': still here\n\n')
      }
      const look = () => void beat().catch(() => raw.destroy())
      const heartbeat = setInterval(look, HEARTBEAT_MS)
      raw.on('close', () => {
        unsubscribe()
        clearInterval(heartbeat)
      })

      const since = Number(request.headers['last-event-id'])
      if (Number.isSafeInteger(since) && since > 0) {
        const missed = await listEvents(deps.db, user.user_id, { since }, REPLAY_MAX)
        for (const { event_id, delivery_id } of missed) {
          tell({ deliveryId: delivery_id, eventId: event_id })
        }
      }
    },
  })
}

function frame(reply: Reply<typeof API.streamEvents>): string {
  const id = reply.event ? `id: ${reply.event.event_id}\n` : ''
  return `${id}data: ${JSON.stringify(API.streamEvents.reply.parse(reply))}\n\n`
}
