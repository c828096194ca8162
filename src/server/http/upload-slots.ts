import type { FastifyReply } from 'fastify'
import { UPLOADS_PER_USER } from '#contract/limits.ts'
import type { User } from '#contract/users.ts'
import { Problem } from '#base/problem.ts'

/** An upload may take hours, so the number per user is limited. */
export type UploadSlots = {
  /**
   * Takes a slot until the reply is sent or its connection lost.
   * @throws Problem too_many_requests
   */
  take(user: User, reply: FastifyReply): void
}

export function createUploadSlots(): UploadSlots {
  const taken = new Map<User['user_id'], number>()
  return {
    take({ user_id }, reply) {
      const running = taken.get(user_id) ?? 0
      if (running >= UPLOADS_PER_USER)
        throw new Problem(
          'too_many_requests',
          `At most ${UPLOADS_PER_USER} uploads can run at a time. Wait until one of them is done.`,
          { retryAfterS: 30 },
        )
      // The client may have disconnected during authentication: `close` is not emitted again.
      if (reply.raw.destroyed) return
      taken.set(user_id, running + 1)
      reply.raw.once('close', () => {
        const left = (taken.get(user_id) ?? 1) - 1
        if (left > 0) taken.set(user_id, left)
        else taken.delete(user_id)
      })
    },
  }
}
