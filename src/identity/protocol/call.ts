import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Core } from '../core/core.ts'
import type { PrivilegedCall } from './admin.ts'
import { ERRORS, errorBody, weakPassword } from './errors.ts'
import type { Detailed, Refused } from './errors.ts'

/** What a call brings: the fields of the answer, or why not. `status` where it is not 200. */
export type Answer = { readonly answer: object; readonly status?: number } | Refused

export type Post = <S extends z.ZodType>(
  path: string,
  schema: S,
  handle: (body: z.output<S>, request: FastifyRequest) => Promise<Answer>,
) => void

/** How a call of the protocol becomes a route. */
export const posts =
  (app: FastifyInstance, core: Core, privileged: ReadonlyMap<string, PrivilegedCall>): Post =>
  (path, schema, handle) => {
    const forUsers = async (request: FastifyRequest): Promise<Answer> => {
      const body = schema.safeParse(request.body)
      return body.success ? handle(body.data, request) : refuse('malformed')
    }
    app.post(path, async (request, reply) => {
      const answer = request.isPrivileged ? await privileged.get(path)?.(request) : null
      return sendAnswer(reply, core, answer ?? notForUsers(request.body) ?? (await forUsers(request)))
    })
  }

export function sendAnswer(reply: FastifyReply, core: Core, answer: Answer): FastifyReply {
  if ('refused' in answer) return sendRefusal(reply, core, answer)
  return reply.status(answer.status ?? 200).send(answer.answer)
}

/** What asks for another project or for a part of one, whatever the call. */
function notForUsers(body: unknown): Refused | null {
  if (typeof body !== 'object' || body === null) return null
  if ('targetProjectId' in body) return refuse('admin_only')
  return 'tenantId' in body ? refuse('no_tenants') : null
}

export const refuse = (refused: Exclude<Refused['refused'], Detailed>): Refused => ({ refused })

function sendRefusal(reply: FastifyReply, core: Core, refusal: Refused): FastifyReply {
  const body = errorBody(messageOf(core, refusal))
  return reply.status(body.error.code).send(body)
}

function messageOf(core: Core, refusal: Refused): string {
  if (refusal.refused === 'weak_password') return weakPassword(core.rules.policy, refusal.unmet)
  if (refusal.refused === 'forbidden_claim') return `${ERRORS.forbidden_claim} : ${refusal.claim}`
  return ERRORS[refusal.refused]
}
