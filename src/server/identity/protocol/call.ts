import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Core } from '../core/core.ts'
import { ERRORS, errorBody, weakPassword } from './errors.ts'
import type { Refused } from './errors.ts'

/** What a call brings: the fields of the answer, or why not. `status` where it is not 200. */
export type Answer = { readonly answer: object; readonly status?: number } | Refused

export type Post = <S extends z.ZodType>(
  path: string,
  schema: S,
  handle: (body: z.output<S>, request: FastifyRequest) => Promise<Answer>,
) => void

/** How a call of the protocol becomes a route. */
export const posts =
  (app: FastifyInstance, core: Core): Post =>
  (path, schema, handle) => {
    app.post(path, async (request, reply) => {
      const body = schema.safeParse(request.body)
      const outcome: Answer =
        notForUsers(request.body) ?? (body.success ? await handle(body.data, request) : refuse('malformed'))
      if ('refused' in outcome) return sendRefusal(reply, core, outcome)
      return reply.status(outcome.status ?? 200).send(outcome.answer)
    })
  }

/** What asks for another project or for a part of one, whatever the call. */
function notForUsers(body: unknown): Refused | null {
  if (typeof body !== 'object' || body === null) return null
  if ('targetProjectId' in body) return refuse('admin_only')
  return 'tenantId' in body ? refuse('no_tenants') : null
}

export const refuse = (refused: Exclude<Refused['refused'], 'weak_password'>): Refused => ({ refused })

function sendRefusal(reply: FastifyReply, core: Core, refusal: Refused): FastifyReply {
  const message =
    refusal.refused === 'weak_password'
      ? weakPassword(core.rules.policy, refusal.unmet)
      : ERRORS[refusal.refused]
  return reply.status(400).send(errorBody(message))
}
