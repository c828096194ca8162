import type { FastifyInstance } from 'fastify'
import { keepBodiesAsText, pathPart } from '../kit/http/body.ts'
import { mount, type Answer, type Call, type Outcome, type Route } from '../kit/http/serve.ts'
import { comment, commentList, commentSetting, settleLateComments } from './comments.ts'
import { consentAccount, decideConsent, showConsent } from './consent.ts'
import { withConfiguredShape, withUsage } from './graph/answer-shape.ts'
import { checkVersion, findAccount, dialect, graphError, json } from './graph/answers.ts'
import { insights } from './insights.ts'
import { settleLatePublishes } from './state/late-publishes.ts'
import { exchange, refresh, token, tokenAccount, unsupportedMethod } from './oauth.ts'
import { create, publish, quota } from './publish.ts'
import { me, mediaList, object, objectCallName } from './read.ts'
import type { Instagram } from './state/state.ts'

/** Mounts the practice Instagram under `/instagram`: its three hosts share one address here. */
export async function mountInstagram(app: FastifyInstance, instagram: Instagram): Promise<void> {
  const words = dialect(instagram)
  const routes = [...loginRoutes(instagram), ...graphRoutes(instagram)]
  await app.register(async (scope) => {
    keepBodiesAsText(scope)
    for (const route of [...routes, ...routes.flatMap(withoutVersion)]) {
      mount(scope, instagram, words, route)
      mount(scope, instagram, words, {
        ...route,
        url: route.url.replace('/instagram', `/${routeHost(route)}`),
      })
    }
    for (const [host, answer] of Object.entries(elsewhere)) {
      scope.all(`/${host}/*`, (request, reply) => {
        const { status, headers, body } = answer(request.url.split('?')[0] ?? '')
        return reply.code(status).headers(headers).send(body)
      })
    }
  })
}

function loginRoutes(instagram: Instagram): Route[] {
  const account = findAccount(instagram)
  return [
    {
      method: 'GET',
      url: '/instagram/oauth/authorize',
      name: 'authorize',
      account: () => null,
      run: (call) => showConsent(instagram, call),
    },
    {
      method: 'POST',
      url: '/instagram/oauth/authorize',
      name: 'authorize',
      account: consentAccount,
      run: (call) => decideConsent(instagram, call),
    },
    {
      method: 'POST',
      url: '/instagram/oauth/access_token',
      name: 'token',
      account: tokenAccount(instagram),
      run: (call) => token(instagram, call),
    },
    {
      method: 'GET',
      url: '/instagram/access_token',
      name: 'exchange',
      account,
      run: (call) => exchange(instagram, call),
    },
    { method: 'POST', url: '/instagram/access_token', name: 'exchange', account, run: unsupportedMethod },
    {
      method: 'GET',
      url: '/instagram/refresh_access_token',
      name: 'refresh',
      account,
      run: (call) => refresh(instagram, call),
    },
    {
      method: 'POST',
      url: '/instagram/refresh_access_token',
      name: 'refresh',
      account,
      run: unsupportedMethod,
    },
  ]
}

function graphRoutes(instagram: Instagram): Route[] {
  const account = findAccount(instagram)
  const graph =
    (run: (instagram: Instagram, call: Call) => Outcome | Promise<Outcome>) =>
    async (call: Call): Promise<Outcome> => {
      settleLatePublishes(instagram)
      settleLateComments(instagram)
      const answer = checkVersion(pathPart(call.request, 'version')) ?? (await run(instagram, call))
      if (answer === 'cut') return answer
      return withUsage(instagram, call.account, withConfiguredShape(instagram, answer))
    }
  return [
    { method: 'GET', url: '/instagram/:version/me', name: 'me', account, run: graph(me) },
    { method: 'POST', url: '/instagram/:version/:id/media', name: 'create', account, run: graph(create) },
    {
      method: 'GET',
      url: '/instagram/:version/:id/media',
      name: 'media_list',
      account,
      run: graph(mediaList),
    },
    {
      method: 'POST',
      url: '/instagram/:version/:id/media_publish',
      name: 'publish',
      account,
      run: graph(publish),
    },
    {
      method: 'POST',
      url: '/instagram/:version/:id/comments',
      name: 'comment',
      account,
      run: graph(comment),
    },
    {
      method: 'GET',
      url: '/instagram/:version/:id/comments',
      name: 'comment_list',
      account,
      run: graph(commentList),
    },
    {
      method: 'GET',
      url: '/instagram/:version/:id/insights',
      name: 'insights',
      account,
      run: graph(insights),
    },
    {
      method: 'POST',
      url: '/instagram/:version/:id',
      name: 'comment_setting',
      account,
      run: graph(commentSetting),
    },
    {
      method: 'GET',
      url: '/instagram/:version/:id/content_publishing_limit',
      name: 'quota',
      account,
      run: graph(quota),
    },
    {
      method: 'GET',
      url: '/instagram/:version/:id',
      name: objectCallName(instagram),
      account,
      run: graph(object),
    },
  ]
}

/** Graph reads `//me`, called by clients with an empty version, as `/me`. Other paths stay unchanged. */
export function graphPath(url: string): string {
  const [path = '', ...query] = url.split('?')
  const isGraph = /^\/+(?:instagram|graph\.instagram\.com)\//.test(path)
  return isGraph ? [path.replaceAll(/\/{2,}/g, '/'), ...query].join('?') : url
}

/** Graph also accepts paths without a version. */
const withoutVersion = (route: Route): Route[] =>
  route.url.includes('/:version') ? [{ ...route, url: route.url.replace('/:version', '') }] : []

/** The host of Instagram that has a call. Under `/instagram` they are one; under its own name each has only its own calls. */
function routeHost({ url }: Route): string {
  if (url === '/instagram/oauth/authorize') return 'www.instagram.com'
  return url === '/instagram/oauth/access_token' ? 'api.instagram.com' : 'graph.instagram.com'
}

const unknownPath = (path: string): Answer =>
  graphError({ code: 2500, message: `Unknown path components: ${path}` })

/** Answers of a host to calls of other hosts and unknown calls. */
const elsewhere: Record<string, (path: string) => Answer> = {
  instagram: unknownPath,
  'graph.instagram.com': unknownPath,
  'api.instagram.com': () =>
    json(400, { error_type: 'OAuthException', code: 400, error_message: 'Unsupported request' }),
  'www.instagram.com': () => ({
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: '<html></html>',
  }),
  // Tokens of Instagram Login are invalid there.
  'graph.facebook.com': () =>
    graphError({
      status: 401,
      code: 190,
      message: 'Invalid OAuth access token - Cannot parse access token',
    }),
  // Containers of Instagram Login accept no bytes. This refusal was observed.
  'rupload.facebook.com': () =>
    json(400, {
      debug_info: { retriable: false, type: 'NotAuthorizedError', message: 'Request is not authorized' },
    }),
}
