import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { CannotWrite } from '../store.ts'
import type { Context } from '../context.ts'
import type { Fault, FaultKind, PlatformName, ScriptedError } from '../faults.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface Call {
  request: FastifyRequest
  /** Scheme and host that the caller used: generated addresses begin with it. */
  origin: string
  /** The scripted fault that strikes this call, if the handler itself must carry it out. */
  fault: Fault | null
  account: string | null
  flag?: string
  detail?: string
}

export type Outcome = Answer | 'cut'

/** A platform's wording of the answers that scripted faults ask for. */
export interface Dialect {
  platform: PlatformName
  serverError(): Answer
  throttled(): Answer
  expireToken(request: FastifyRequest): Answer
  scriptedError?(error: ScriptedError): Answer
}

export interface Route {
  method: HTTPMethods
  url: string
  /** The call's name in the ledger and for faults; it may depend on the request. */
  name: string | ((request: FastifyRequest) => string)
  account: (request: FastifyRequest) => string | null
  run: (call: Call) => Outcome | Promise<Outcome>
  /** The handler itself plays `reset_midway`, because it reads the body piece by piece. */
  readsBody?: boolean
}

export function mount(app: FastifyInstance, context: Context, dialect: Dialect, route: Route): void {
  app.route({
    method: route.method,
    url: route.url,
    handler: async (request, reply) => {
      const [outcome, fault] = await take(context, dialect, route, request).catch(
        (error: unknown): [Outcome, null] => {
          if (!(error instanceof CannotWrite)) throw error
          return [dialect.serverError(), null]
        },
      )
      if (fault?.fault === 'hold') await context.faults.hold(fault)
      return deliver(outcome, fault, reply, route.readsBody ?? false)
    },
  })
}

async function take(
  context: Context,
  dialect: Dialect,
  route: Route,
  request: FastifyRequest,
): Promise<[Outcome, Fault | null]> {
  const name = typeof route.name === 'string' ? route.name : route.name(request)
  const account = route.account(request)
  const fault = context.faults.strike(dialect.platform, name, account)
  const call: Call = { request, origin: readOrigin(request), fault, account }
  const outcome = await carryOut(route, dialect, call)
  context.calls.record({
    platform: dialect.platform,
    call: name,
    account: call.account,
    status: ledgerStatus(outcome, fault),
    ...(fault === null ? {} : { fault: fault.fault }),
    ...(call.flag === undefined ? {} : { flag: call.flag }),
    ...(call.detail === undefined ? {} : { detail: call.detail }),
  })
  return [outcome, fault]
}

export const readOrigin = (request: FastifyRequest): string => `http://${request.headers.host ?? 'localhost'}`

async function carryOut(route: Route, dialect: Dialect, call: Call): Promise<Outcome> {
  switch (call.fault?.fault) {
    case 'drop_before':
      return 'cut'
    case 'status_500':
      return dialect.serverError()
    case 'status_429':
      return dialect.throttled()
    case 'html_502':
      return badGateway
    case 'token_expired':
      return dialect.expireToken(call.request)
    case 'status_500_after':
      await route.run(call)
      return dialect.serverError()
    case 'repeated':
      return carryOutTwice(route, call)
    case 'error':
      return scriptedError(dialect, call.fault)
    case 'error_after':
      await route.run(call)
      return scriptedError(dialect, call.fault)
    case 'drop_after':
    case 'reset_midway':
    case 'slow':
    case 'slow_body':
    case 'hold':
    case 'stuck_processing':
    case 'not_found':
    case 'publish_error_but_live':
    case 'late_effect':
    case 'hang':
    case undefined:
      return route.run(call)
  }
}

/** A gateway without an answer in time repeats the call, and the second answer counts. */
async function carryOutTwice(route: Route, call: Call): Promise<Outcome> {
  const first = await route.run(call)
  return first === 'cut' ? first : route.run(call)
}

const scriptedError = (dialect: Dialect, { error }: Fault): Answer =>
  error === null ? dialect.serverError() : (dialect.scriptedError?.(error) ?? dialect.serverError())

const badGateway: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
}

/** Faults that withhold the answer to an executed call. */
const unanswered: FaultKind[] = ['drop_after', 'reset_midway', 'hang']

const ledgerStatus = (outcome: Outcome, fault: Fault | null): number | null =>
  outcome === 'cut' || (fault !== null && unanswered.includes(fault.fault)) ? null : outcome.status

async function deliver(
  outcome: Outcome,
  fault: Fault | null,
  reply: FastifyReply,
  readsBody: boolean,
): Promise<FastifyReply> {
  if (outcome === 'cut' || fault?.fault === 'drop_after') return cut(reply)
  if (fault?.fault === 'reset_midway' && !readsBody) return cutInAnswer(outcome, reply)
  if (fault?.fault === 'hang') return hang(reply)
  if (fault?.fault === 'slow') await wait(fault.ms)
  if (fault?.fault === 'slow_body') return trickle(outcome, fault.ms, reply)
  return reply.code(outcome.status).headers(outcome.headers).send(outcome.body)
}

function cut(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.destroy()
  return reply
}

/** Sends nothing and keeps the connection until the caller gives up. */
function hang(reply: FastifyReply): FastifyReply {
  reply.hijack()
  return reply
}

async function trickle(answer: Answer, ms: number, reply: FastifyReply): Promise<FastifyReply> {
  reply.hijack()
  const body = Buffer.from(answer.body)
  const half = Math.floor(body.length / 2)
  reply.raw.writeHead(answer.status, { ...answer.headers, 'content-length': String(body.length) })
  reply.raw.write(body.subarray(0, half))
  await wait(ms)
  reply.raw.end(body.subarray(half))
  return reply
}

function cutInAnswer(answer: Answer, reply: FastifyReply): FastifyReply {
  reply.hijack()
  const body = Buffer.from(answer.body)
  reply.raw.writeHead(answer.status, { ...answer.headers, 'content-length': String(body.length) })
  reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => reply.raw.socket?.resetAndDestroy())
  return reply
}
