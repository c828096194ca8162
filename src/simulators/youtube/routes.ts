import { createReadStream } from 'node:fs'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { tokenCallName } from '../kit/http/form.ts'
import { keepBodiesAsText, pathPart } from '../kit/http/body.ts'
import { avatarSvg } from '../kit/http/page.ts'
import { mount, type Route } from '../kit/http/serve.ts'
import { apiCall, apiError, dialect, findAccount, type ApiCall } from './answers.ts'
import { listCategories } from './categories.ts'
import { channelParts, listChannels } from './channels.ts'
import { comment, listComments } from './comments.ts'
import { consentAccount, decideConsent, showConsent } from './consent.ts'
import { revoke, token, tokenAccount } from './oauth.ts'
import { queryReport, reportParameters } from './reports.ts'
import { analyticsScope, commentScope, readScope, uploadScope, type YouTube } from './state.ts'
import { setThumbnail, thumbnailMaxBytes } from './thumbnails.ts'
import { initiate, insertParts, openUploads } from './upload.ts'
import { listPlaylistItems, listVideos, playlistItemParts, videoParts } from './videos.ts'

/** The hosts of Google and YouTube that have each call. Under `/youtube` they are one. */
const hosts = {
  accounts: ['accounts.google.com'],
  oauth: ['oauth2.googleapis.com'],
  api: ['www.googleapis.com', 'youtube.googleapis.com'],
  analytics: ['youtubeanalytics.googleapis.com'],
}
type Host = keyof typeof hosts

export async function mountYouTube(app: FastifyInstance, youtube: YouTube): Promise<void> {
  const words = dialect(youtube)
  const mountAt = (scope: FastifyInstance, host: Host, route: Route): void => {
    for (const base of ['youtube', ...hosts[host]])
      mount(scope, youtube, words, { ...route, url: `/${base}${route.url}` })
  }
  await app.register(async (scope) => {
    keepBodiesAsText(scope)
    for (const [host, route] of loginRoutes(youtube)) mountAt(scope, host, route)
    for (const route of apiRoutes(youtube)) mountAt(scope, 'api', route)
    mountAt(scope, 'analytics', reportsRoute(youtube))
    for (const base of ['youtube', ...Object.values(hosts).flat()]) {
      scope.all(`/${base}/*`, (_request, reply) => {
        const message = 'The requested path does not exist here.'
        const answer = apiError(youtube, { status: 404, reason: 'notFound', message })
        return reply.code(answer.status).headers(answer.headers).send(answer.body)
      })
    }
    mountPictures(scope, youtube)
  })
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body is a stream: memory stays flat whatever a chunk's size.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    mountAt(scope, 'api', uploadRoute(youtube))
  })
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const parse = { parseAs: 'buffer' as const, bodyLimit: thumbnailMaxBytes + 1_000_000 }
    scope.addContentTypeParser('*', parse, (_request, body, done) => done(null, body))
    mountAt(scope, 'api', thumbnailRoute(youtube))
  })
}

function loginRoutes(youtube: YouTube): [Host, Route][] {
  const url = '/o/oauth2/v2/auth'
  return [
    [
      'accounts',
      {
        method: 'GET',
        url,
        name: 'authorize',
        account: () => null,
        run: (call) => showConsent(youtube, call),
      },
    ],
    [
      'accounts',
      {
        method: 'POST',
        url,
        name: 'authorize',
        account: consentAccount,
        run: (call) => decideConsent(youtube, call),
      },
    ],
    [
      'oauth',
      {
        method: 'POST',
        url: '/token',
        name: tokenCallName,
        account: tokenAccount(youtube),
        run: (call) => token(youtube, call),
      },
    ],
    [
      'oauth',
      {
        method: 'POST',
        url: '/revoke',
        name: 'revoke',
        account: () => null,
        run: (call) => revoke(youtube, call),
      },
    ],
  ]
}

function apiRoutes(youtube: YouTube): Route[] {
  const account = findAccount(youtube)
  const route = (name: string, method: HTTPMethods, path: string, what: ApiCall): Route => ({
    method,
    url: path,
    name,
    account,
    run: apiCall(youtube, what),
  })
  const read = { bucket: 'units', cost: 1, scope: readScope } as const
  return [
    route('initiate', 'POST', '/upload/youtube/v3/videos', {
      bucket: 'uploads',
      cost: 1,
      scope: uploadScope,
      parts: insertParts,
      parameters: ['uploadType', 'notifySubscribers'],
      run: initiate,
    }),
    route('channel', 'GET', '/youtube/v3/channels', {
      ...read,
      parts: channelParts,
      parameters: ['mine', 'maxResults'],
      withoutChannel: true,
      run: listChannels,
    }),
    route('videos', 'GET', '/youtube/v3/videos', {
      ...read,
      parts: videoParts,
      parameters: ['id', 'maxResults', 'hl'],
      run: listVideos,
    }),
    route('playlist_items', 'GET', '/youtube/v3/playlistItems', {
      ...read,
      parts: playlistItemParts,
      parameters: ['playlistId', 'maxResults', 'pageToken'],
      run: listPlaylistItems,
    }),
    route('categories', 'GET', '/youtube/v3/videoCategories', {
      ...read,
      parts: ['snippet'],
      parameters: ['id', 'regionCode', 'hl'],
      run: listCategories,
    }),
    route('comment', 'POST', '/youtube/v3/commentThreads', {
      bucket: 'units',
      cost: 50,
      scope: commentScope,
      parts: ['id', 'snippet'],
      parameters: [],
      run: comment,
    }),
    route('comment_list', 'GET', '/youtube/v3/commentThreads', {
      bucket: 'units',
      cost: 1,
      scope: commentScope,
      parts: ['id', 'snippet', 'replies'],
      parameters: ['videoId', 'order', 'maxResults', 'pageToken', 'textFormat'],
      run: listComments,
    }),
  ]
}

const reportsRoute = (youtube: YouTube): Route => ({
  method: 'GET',
  url: '/v2/reports',
  name: 'reports',
  account: findAccount(youtube),
  run: apiCall(youtube, {
    bucket: 'reports',
    cost: 1,
    scope: analyticsScope,
    parameters: reportParameters,
    run: queryReport,
  }),
})

function uploadRoute(youtube: YouTube): Route {
  const uploads = openUploads(youtube)
  return {
    method: 'PUT',
    url: '/upload/youtube/v3/videos',
    name: (request) => uploads.nameOf(request),
    account: (request) => uploads.findAccount(request),
    readsBody: true,
    run: (call) => uploads.put(call),
  }
}

const thumbnailRoute = (youtube: YouTube): Route => ({
  method: 'POST',
  url: '/upload/youtube/v3/thumbnails/set',
  name: 'thumbnail',
  account: findAccount(youtube),
  run: apiCall(youtube, {
    bucket: 'units',
    cost: 50,
    scope: uploadScope,
    parameters: ['videoId', 'uploadType'],
    run: setThumbnail,
  }),
})

/** The addresses of thumbnails: an own one, or a picture that stands for YouTube's. */
function mountPictures(scope: FastifyInstance, youtube: YouTube): void {
  scope.get('/youtube/vi/:id/:file', (request, reply) => {
    const video = youtube.videos.get(pathPart(request, 'id'))
    if (video === undefined) return reply.code(404).send()
    if (video.thumbnail === undefined) return reply.type('image/svg+xml').send(avatarSvg(video.username))
    return reply
      .type(video.thumbnail.type)
      .send(createReadStream(youtube.media.video(video.thumbnail.sha256)))
  })
}
