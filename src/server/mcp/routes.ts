import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { MCP_PATH } from '#contract/http/addresses.ts'
import { CALLS_PER_USER, POST_BODY_MAX_BYTES, UPLOADS_PER_USER } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { bearerToken, type CallerDeps } from '../http/caller.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { limitJsonValues } from '../http/json-values.ts'
import { createUserLimit } from '../http/user-limit.ts'
import { isHeldAfterRestore } from '../restore/hold-posts.ts'
import type { ToolsDeps } from './tools.ts'

type McpDeps = CallerDeps & { readonly db: Db; readonly config: { readonly publicUrl: string } }

/** The Model Context Protocol for assistants: stateless, each request with the secret of an API key. */
export const mcpPlugin =
  ({ authenticate, keyRate, db, config: { publicUrl } }: McpDeps): FastifyPluginAsync =>
  async (app) => {
    const callers = new WeakMap<FastifyRequest, Pick<ToolsDeps, 'key' | 'token' | 'isRestored'>>()
    const challenge = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${MCP_PATH}", scope="read"`
    // Not that of the API, in which their calls wait: each would wait for itself. Downloads may take all but a few of the places.
    const userLimit = createUserLimit({ running: CALLS_PER_USER + UPLOADS_PER_USER })
    limitJsonValues(app)
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: MCP_PATH,
      exposeHeadRoute: false, // which cannot send a web `Response`
      bodyLimit: POST_BODY_MAX_BYTES,
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const token = bearerToken(request)
        const caller = token === undefined ? null : await authenticate(token)
        // A session may do more than any key, so an assistant gets none.
        if (token === undefined || !caller?.key) {
          const problem = new Problem('unauthorized', 'Send the secret of an API key as the bearer token.')
          return reply.status(401).header('www-authenticate', challenge).send(problem.body())
        }
        keyRate.count(caller.key, reply)
        const { key, user } = caller
        // Before the body is read: neither bodies nor answers of one user fill the memory.
        await userLimit.enter(user.user_id, reply.raw)
        callers.set(request, { key, token, isRestored: (id) => isHeldAfterRestore(db, user.user_id, id) })
        return undefined
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (!caller) throw new Error('A request without a caller has been refused before.')
        // A batch would count as one call against the limit of the key.
        if (Array.isArray(request.body)) throw new Problem('malformed', 'Send one message at a time.')
        // Loaded by the first request, since most servers never get one.
        const mcp = await import('@modelcontextprotocol/server')
        const { createToolServer } = await import('./tools.ts')
        const asked = toWebRequest(request, goneSignal(reply), publicUrl)
        const origins = [new URL(publicUrl).hostname, ...mcp.localhostAllowedOrigins()]
        const refusal = mcp.originValidationResponse(asked, origins)
        if (refusal) return reply.send(refusal)
        const { fetch } = mcp.createMcpHandler(() => createToolServer({ ...caller, app, ip: request.ip }), {
          // The tools of a key do not change, so there is nothing to wait for.
          maxSubscriptions: 0,
          onerror: (error) => request.log.debug({ err: error }, 'an MCP request was refused'),
        })
        return reply.send(await fetch(asked, { parsedBody: request.body }))
      },
    })
  }

/** Without the body, which has been parsed. */
function toWebRequest({ method, headers }: FastifyRequest, signal: AbortSignal, publicUrl: string): Request {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(MCP_PATH, publicUrl), { method, headers: pairs, signal })
}
