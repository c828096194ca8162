import type { FastifyInstance } from 'fastify'
import { tokenCallName } from '../kit/http/form.ts'
import { keepBodiesAsText } from '../kit/http/body.ts'
import { mount, type Outcome, type Route } from '../kit/http/serve.ts'
import { consentAccount, decideConsent, showConsent } from './consent.ts'
import { findAccount, dialect, refusal } from './envelope.ts'
import { openRateLimits } from './limits.ts'
import { revoke, token, tokenAccount } from './oauth.ts'
import { inboxInit, init } from './init.ts'
import { creatorInfo, status, userInfo } from './publish.ts'
import { cancel } from './pull.ts'
import type { TikTok } from './state/state.ts'
import { queryVideos } from './videos.ts'
import { openUploads } from './upload.ts'

export async function mountTikTok(app: FastifyInstance, tiktok: TikTok): Promise<void> {
  const words = dialect(tiktok)
  const routes = [...loginRoutes(tiktok), ...apiRoutes(tiktok)]
  await app.register(async (scope) => {
    keepBodiesAsText(scope)
    for (const route of routes) mount(scope, tiktok, words, route)
    for (const [url, method] of otherMethods(routes)) {
      scope.route({
        method,
        url,
        handler: (_request, reply) => {
          const answer = refusal(405, 'method_not_allowed', 'The method is not allowed here.')
          return reply.code(answer.status).headers(answer.headers).send(answer.body)
        },
      })
    }
    scope.all('/tiktok/v2/*', (_request, reply) => {
      const answer = refusal(404, 'not_found', 'The requested path does not exist.')
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
  })
  await app.register(async (scope) => mountUpload(scope, tiktok))
}

const loginRoutes = (tiktok: TikTok): Route[] => [
  {
    method: 'GET',
    url: '/tiktok/v2/auth/authorize/',
    name: 'authorize',
    account: () => null,
    run: (call) => showConsent(tiktok, call),
  },
  {
    method: 'POST',
    url: '/tiktok/v2/auth/authorize/',
    name: 'authorize',
    account: consentAccount,
    run: (call) => decideConsent(tiktok, call),
  },
  {
    method: 'POST',
    url: '/tiktok/v2/oauth/token/',
    name: tokenCallName,
    account: tokenAccount(tiktok),
    run: (call) => token(tiktok, call),
  },
  {
    method: 'POST',
    url: '/tiktok/v2/oauth/revoke/',
    name: 'revoke',
    account: () => null,
    run: (call) => revoke(tiktok, call),
  },
]

function apiRoutes(tiktok: TikTok): Route[] {
  const limits = openRateLimits(tiktok)
  const account = findAccount(tiktok)
  return [
    {
      method: 'GET',
      url: '/tiktok/v2/user/info/',
      name: 'user_info',
      account,
      run: (call) => userInfo(tiktok, limits, call),
    },
    {
      method: 'POST',
      url: '/tiktok/v2/post/publish/creator_info/query/',
      name: 'creator_info',
      account,
      run: (call) => creatorInfo(tiktok, limits, call),
    },
    {
      method: 'POST',
      url: '/tiktok/v2/post/publish/video/init/',
      name: 'init',
      account,
      run: (call) => init(tiktok, limits, call),
    },
    {
      method: 'POST',
      url: '/tiktok/v2/post/publish/inbox/video/init/',
      name: 'inbox_init',
      account,
      run: (call) => inboxInit(tiktok, limits, call),
    },
    {
      method: 'POST',
      url: '/tiktok/v2/post/publish/cancel/',
      name: 'cancel',
      account,
      run: (call) => cancel(tiktok, call),
    },
    {
      method: 'POST',
      url: '/tiktok/v2/post/publish/status/fetch/',
      name: 'status',
      account,
      run: (call) => status(tiktok, limits, call),
    },
    {
      method: 'POST',
      url: '/tiktok/v2/video/query/',
      name: 'video_query',
      account,
      run: (call) => queryVideos(tiktok, limits, call),
    },
  ]
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function otherMethods(routes: Route[]): [url: string, methods: string[]][] {
  const urls = [...new Set(routes.map(({ url }) => url))]
  return urls.map((url) => {
    const taken = routes.filter((route) => route.url === url).map(({ method }) => method)
    return [url, methods.filter((method) => !taken.includes(method))]
  })
}

function mountUpload(scope: FastifyInstance, tiktok: TikTok): void {
  const uploads = openUploads(tiktok)
  scope.removeAllContentTypeParsers()
  // The body is a stream: memory stays flat whatever a chunk's size.
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  mount(scope, tiktok, dialect(tiktok), {
    method: 'PUT',
    url: '/tiktok/upload',
    name: (request) => uploads.nameOf(request),
    account: (request) => uploads.findAccount(request),
    readsBody: true,
    run: (call): Promise<Outcome> => uploads.put(call),
  })
}
