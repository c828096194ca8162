import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { deletionPath, hookPath } from '#contract/http/addresses.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import type { Hook, Notice } from '#platforms/kit/webhooks.ts'
import type { AccessDeps } from '../accounts/access.ts'
import type { Config } from '../runtime/config.ts'
import { ipKey } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import { createCounter } from '../http/counter.ts'
import { runAccessChecks, scheduleAccessChecks } from './access-checks.ts'
import { eraseAccount } from './erase-account.ts'
import { findDeletion, type Deletion } from './store.ts'
import { wakeDeliveries } from './wake-deliveries.ts'
import { escapeHtml } from '#base/escape-html.ts'
import { plainPage } from '../http/plain-page.ts'

export type HookDeps = AccessDeps & {
  readonly config: Pick<Config, 'publicUrl'>
  readonly log: Logger
}

/** Platforms send a few hundred bytes. */
const BODY_MAX_BYTES = 65_536
/** Refusals per address that are explained and logged; more would let anybody fill the log. */
const REFUSALS = { most: 30, windowMs: 60_000 }

export function webhooksPlugin(deps: HookDeps): FastifyPluginAsync {
  return async (app) => {
    const refusal = createRefusal(deps)
    const asking = new Set<Promise<void>>()
    app.addHook('onClose', async () => {
      await Promise.all(asking)
    })

    // Runs after the answer, because a platform that waits repeats the notice. The worker repeats it if this process dies.
    const ask = (accountIds: readonly number[]): void => {
      if (accountIds.length === 0) return
      const job = runAccessChecks(deps, { accountIds })
        .catch((error: unknown) => {
          deps.log.error({ err: error }, 'could not ask about an access; it is asked again')
        })
        .finally(() => asking.delete(job))
      asking.add(job)
    }

    await app.register(async (scope) => {
      // The signature covers the raw bytes.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      scope.route<{ Params: { platform: string; name: string } }>({
        method: 'POST',
        url: hookPath(':platform', ':name'),
        bodyLimit: BODY_MAX_BYTES,
        onRequest: async (request) => {
          // Uploads get more time than this deserves.
          if (/^\s*multipart\//i.test(request.headers['content-type'] ?? ''))
            throw new Problem('unsupported_media', 'This call takes no files.')
        },
        handler: async (request, reply) => {
          reply.header('cache-control', 'no-store')
          const { platform, name } = request.params
          const found = findHook(deps, platform, name)
          if (!found) throw new Problem('not_found', "There's nothing at this address.")
          const reading = found.hook({
            header: (header) => readHeader(request, header),
            body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
            now: deps.now(),
          })
          switch (reading.kind) {
            case 'refused':
              throw refusal(found.platform, name, reading.why, request.ip)
            case 'ignored':
              return {}
            case 'post_moved':
            case 'access_removed':
            case 'erase_person':
              return act(found.platform, reading)
          }
        },
      })
    })
    app.get<{ Params: { code: string } }>(deletionPath(':code'), (request, reply) =>
      sendDeletion(deps, request.params.code, reply),
    )

    async function act(platform: PlatformId, notice: Notice): Promise<object> {
      switch (notice.kind) {
        case 'post_moved':
          await wakeDeliveries(deps, platform, notice)
          return {}
        case 'access_removed':
          ask(await scheduleAccessChecks(deps, platform, notice))
          return {}
        case 'erase_person': {
          const code = await eraseAccount(deps, platform, notice)
          return notice.receipt({ code, url: `${deps.config.publicUrl}${deletionPath(code)}` })
        }
      }
    }
  }
}

/** Counts only refusals, so that nobody can lock a platform out with garbage from the same proxy. */
function createRefusal(deps: HookDeps) {
  const refusals = createCounter(REFUSALS.windowMs, deps.now)
  return (platform: PlatformId, name: string, why: string, ip: string): Problem => {
    const key = ipKey(ip)
    const count = key === null ? 1 : refusals.count(key)
    if (count > REFUSALS.most)
      return new Problem('too_many_requests', 'Too many refused calls from here.', {
        retryAfterS: REFUSALS.windowMs / 1000,
      })
    deps.log.warn({ platform, hook: name, why }, 'a call that claims to be from a platform was refused')
    return new Problem('forbidden', "This call's signature is missing or wrong.")
  }
}

function findHook(
  deps: HookDeps,
  platformId: string,
  name: string,
): { platform: PlatformId; hook: Hook } | null {
  const parsed = PlatformId.safeParse(platformId)
  const hooks = parsed.success ? deps.platforms[parsed.data]?.hooks : undefined
  const hook = hooks !== undefined && Object.hasOwn(hooks, name) ? hooks[name] : undefined
  return parsed.success && hook ? { platform: parsed.data, hook } : null
}

function readHeader(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : null
}

async function sendDeletion(deps: HookDeps, code: string, reply: FastifyReply): Promise<FastifyReply> {
  const deletion = /^[0-9a-z]{26}$/.test(code) ? await findDeletion(deps.db, code) : null
  return reply
    .status(deletion ? 200 : 404)
    .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
    .type('text/html; charset=utf-8')
    .send(deletion ? deletionPage(code, deletion) : noDeletionPage())
}

const deletionPage = (code: string, deletion: Deletion): string =>
  page(
    'Your data was deleted',
    deletion.accounts === 0
      ? ['This server held no data about your account.']
      : [
          'This server deleted everything it held about your account: its permission to post for you, and the account’s id, name, handle and picture address.',
          'Posts that went out on your account stay online. This server keeps a record of them that does not say whose account they went to.',
        ],
    [
      ['Confirmation code', code],
      ['Received and done', deletion.at.toUTCString()],
    ],
  )

const noDeletionPage = (): string =>
  page('Request not found', ['No deletion request has this code. Check that the address is complete.'], [])

function page(title: string, paragraphs: readonly string[], facts: readonly (readonly [string, string])[]) {
  const list = facts
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')
  return plainPage(title, [
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(list === '' ? [] : [`<dl>${list}</dl>`]),
  ])
}
