import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ipKey } from '#base/ip-address.ts'
import { findBrokenText } from '#contract/well-formed.ts'
import type { Core } from '../core/core.ts'
import { errorBody, ERRORS, type Refused, weakPassword } from './errors.ts'

export type Answer = { readonly answer: object; readonly cookie?: string } | Refused

export type Post = <S extends z.ZodType>(
  path: string,
  schema: S,
  handle: (body: z.output<S>, request: FastifyRequest) => Promise<Answer>,
) => void

export const createPost =
  (app: FastifyInstance, core: Core): Post =>
  (path, schema, handle) => {
    const answerTo = async (request: FastifyRequest): Promise<Answer> => {
      const body = schema.safeParse(request.body)
      if (!body.success || !isWellFormed(body.data)) return refuse('malformed')
      const caller = { key: ipKey(request.ip) ?? request.ip, known: false }
      return (
        (await core.callPermits.run(() => handle(body.data, request), caller)) ?? refuse('too_many_attempts')
      )
    }
    app.post(path, async (request, reply) =>
      sendAnswer(reply, core, refuseOtherProject(request.body) ?? (await answerTo(request))),
    )
  }

function sendAnswer(reply: FastifyReply, core: Core, answer: Answer): FastifyReply {
  if ('refused' in answer) return sendRefusal(reply, core, answer)
  if (answer.cookie !== undefined) reply.header('set-cookie', answer.cookie)
  return reply.send(answer.answer)
}

/** Other projects and tenants are refused in every call. */
function refuseOtherProject(body: unknown): Refused | null {
  if (typeof body !== 'object' || body === null) return null
  if ('targetProjectId' in body) return refuse('admin_only')
  return 'tenantId' in body ? refuse('no_tenants') : null
}

/** Schemas of this protocol are flat, so that nothing nests too deeply. */
const isWellFormed = (body: unknown): boolean => findBrokenText(body) === null

export const refuse = (refused: Exclude<Refused['refused'], 'weak_password'>): Refused => ({ refused })

function sendRefusal(reply: FastifyReply, core: Core, refusal: Refused): FastifyReply {
  const body = errorBody(errorMessage(core, refusal))
  return reply.status(body.error.code).send(body)
}

function errorMessage(core: Core, refusal: Refused): string {
  if (refusal.refused === 'weak_password') return weakPassword(core.rules.policy, refusal.unmet)
  return ERRORS[refusal.refused]
}
