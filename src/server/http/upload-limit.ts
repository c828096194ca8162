import type { FastifyReply } from 'fastify'
import { UPLOADS_PER_USER } from '#contract/limits.ts'
import type { User } from '#contract/users.ts'
import { Problem } from '#base/problem.ts'

/** Uploads may take hours, so their number per user is limited. */
export type UploadLimit = {
  /** Counts a request as an upload until its reply is sent or its connection is lost. @throws Problem too_many_requests */
  count(user: User, reply: FastifyReply): void
}

export function createUploadLimit(): UploadLimit {
  const running = new Map<User['user_id'], number>()
  return {
    count({ user_id }, reply) {
      const own = running.get(user_id) ?? 0
      if (own >= UPLOADS_PER_USER)
        throw new Problem(
          'too_many_requests',
          `At most ${UPLOADS_PER_USER} uploads can run at a time. Wait until one of them is done.`,
          { retryAfterS: 30 },
        )
      // The client may have disconnected during authentication: `close` is not emitted again.
      if (reply.raw.destroyed) return
      running.set(user_id, own + 1)
      reply.raw.once('close', () => {
        const left = (running.get(user_id) ?? 1) - 1
        if (left > 0) running.set(user_id, left)
        else running.delete(user_id)
      })
    },
  }
}
