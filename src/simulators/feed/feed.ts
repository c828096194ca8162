import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformName } from '../kit/faults.ts'
import type { LivePost } from '../kit/live-post.ts'
import { avatarSvg, escapeHtml, autoRefresh, page } from '../kit/http/page.ts'
import { parseQuery, pathPart } from '../kit/http/body.ts'
import { readOrigin } from '../kit/http/serve.ts'

export interface FeedOptions {
  posts: (origin: string) => LivePost[]
  videoPath: (sha256: string) => string
}

const sample = join(import.meta.dirname, 'sample.mp4')

export function mountFeed(app: FastifyInstance, options: FeedOptions): void {
  const posts = (request: FastifyRequest): LivePost[] => options.posts(readOrigin(request)).toReversed()

  app.get('/', (request, reply) => sendPage(reply, 200, feedPage(posts(request))))
  const post = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = `${readOrigin(request)}${request.url.split('?')[0] ?? ''}`
    const found = posts(request).find((each) => each.url === path)
    return found === undefined ? sendPage(reply, 404, missingPage) : sendPage(reply, 200, postPage(found))
  }
  /** Both addresses name a video; that of a Short leads to the other one where it is none. */
  const watch = (request: FastifyRequest, reply: FastifyReply, id: string): FastifyReply => {
    const found = posts(request).find(
      ({ platform, url }) => platform === 'youtube' && (url.endsWith(`/${id}`) || url.endsWith(`=${id}`)),
    )
    if (found === undefined) return sendPage(reply, 404, missingPage)
    const isMoved = request.url.includes('/shorts/') && !found.url.includes('/shorts/')
    return isMoved ? reply.redirect(pathOf(found), 303) : sendPage(reply, 200, postPage(found))
  }
  app.get('/tiktok/:handle/video/:id', post)
  app.get('/instagram/reel/:shortcode/', post)
  app.get('/youtube/shorts/:id', (request, reply) => watch(request, reply, pathPart(request, 'id')))
  app.get('/youtube/watch', (request, reply) => watch(request, reply, parseQuery(request).get('v') ?? ''))

  app.get<{ Params: { file: string } }>('/avatars/:file', (request, reply) =>
    reply.type('image/svg+xml').send(avatarSvg(request.params.file.replace(/\.svg$/, ''))),
  )
  app.route<{ Params: { sha256: string } }>({
    method: ['GET', 'HEAD'],
    url: '/videos/:sha256',
    handler: (request, reply) =>
      /^[0-9a-f]{64}$/.test(request.params.sha256)
        ? sendVideo(request, reply, options.videoPath(request.params.sha256))
        : sendPage(reply, 404, missingPage),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/sample.mp4',
    handler: (request, reply) =>
      sendVideo(request, reply.header('content-disposition', 'attachment; filename="sample.mp4"'), sample),
  })
}

const sendPage = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(text)

const links = `<nav aria-label="Practice platforms"><a href="/">Feed</a><a href="/mailbox">Mailbox</a><a href="/sample.mp4" download="sample.mp4">Sample video</a></nav>`

function feedPage(posts: LivePost[]): string {
  const list =
    posts.length === 0
      ? `<div class="card"><h2>Nothing posted yet</h2><p class="muted">Posts to Practice TikTok, Instagram and YouTube appear here. No video at hand? Use the <a href="/sample.mp4" download="sample.mp4">sample video</a>.</p></div>`
      : posts.map((post) => postCard(post)).join('\n')
  return page({
    title: 'Practice platforms',
    head: autoRefresh('posts'),
    main: `${links}<h1>Practice feed</h1><p class="muted">All posts to Practice TikTok, Instagram and YouTube, newest first.</p>\n<div id="posts" data-state="${posts.length}">${list}</div>`,
  })
}

const postPage = (post: LivePost): string =>
  page({
    title: `${platformTitle(post)}: a post by ${post.account}`,
    main: `${links}<h1>${platformTitle(post)}</h1>\n${postCard(post)}`,
  })

const missingPage = page({
  title: 'Not found',
  main: `${links}<div class="card"><h1>Not found</h1><p class="muted">This post does not exist.</p></div>`,
})

function postCard(post: LivePost): string {
  const at = new Date(post.created_at)
  return `<article class="card post" aria-label="${platformTitle(post)} post by ${escapeHtml(post.account)}">
<header><img src="/avatars/${encodeURIComponent(post.account)}.svg" alt="" width="40" height="40">
<div><h2>${escapeHtml(post.account)}</h2><div class="muted small">${platformTitle(post)}</div></div></header>
<video controls playsinline preload="metadata"${poster(post)} src="/videos/${post.sha256}" aria-label="Video by ${escapeHtml(post.account)}"></video>
<div class="about">
${post.platform === 'youtube' ? `<p><strong>${escapeHtml(String(post.options.title))}</strong></p>` : ''}
${post.text === '' ? '' : `<p class="text">${escapeHtml(post.text)}</p>`}
<div class="meta muted small"><span>${audience(post)}</span>${labels(post)}<time datetime="${post.created_at}">${at.toUTCString()}</time><a href="${escapeHtml(pathOf(post))}">Open post</a></div>
${commentsOn(post)}</div>
</article>`
}

const pathOf = (post: LivePost): string => {
  const { pathname, search } = new URL(post.url)
  return pathname + search
}

/** An own thumbnail of YouTube's. */
function poster({ url, options }: LivePost): string {
  const id = /[\w-]{11}$/.exec(url)?.[0] ?? ''
  return typeof options.thumbnail_sha256 === 'string' ? ` poster="/youtube/vi/${id}/hqdefault.jpg"` : ''
}

const commentsOn = ({ comments = [], comments_off }: LivePost): string =>
  comments.length === 0
    ? comments_off === true
      ? '<p class="muted small">Comments are off.</p>'
      : ''
    : `<ul class="small" aria-label="Comments">${comments
        .map(({ account, text }) => `<li><strong>${escapeHtml(account)}</strong> ${escapeHtml(text)}</li>`)
        .join('')}</ul>
`

const titles: Record<PlatformName, string> = {
  tiktok: 'Practice TikTok',
  instagram: 'Practice Instagram',
  youtube: 'Practice YouTube',
}
const platformTitle = (post: LivePost): string => titles[post.platform]

const audiences: Record<string, string> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only the creator',
  public: 'Public',
  unlisted: 'Unlisted',
  private: 'Private',
}

function audience(post: LivePost): string {
  if (post.platform === 'instagram')
    return post.options.share_to_feed === true ? 'Reels and feed' : 'Reels only'
  return audiences[String(post.options.privacy_level ?? post.options.privacyStatus)] ?? ''
}

function labels({ options }: LivePost): string {
  const shown = [
    options.brand_content_toggle === true && 'Paid partnership',
    options.brand_organic_toggle === true && options.brand_content_toggle !== true && 'Promotional content',
    options.is_aigc === true && 'Creator labeled as AI-generated',
    options.is_ai_generated === true && 'AI info',
    typeof options.graduation === 'string' && 'Trial reel',
    formatNames('With', options.collaborators),
    formatNames('Tagged', options.user_tags),
    options.selfDeclaredMadeForKids === true && 'Made for kids',
    options.containsSyntheticMedia === true && 'Altered or synthetic content',
    Array.isArray(options.tags) && options.tags.length > 0 && `Tags: ${options.tags.join(', ')}`,
    typeof options.audio_name === 'string' && `Audio: ${options.audio_name}`,
  ]
  return shown.flatMap((each) => (each === false ? [] : [`<span>${escapeHtml(each)}</span>`])).join('')
}

const formatNames = (word: string, names: unknown): string | false =>
  Array.isArray(names) && names.length > 0 && `${word} ${names.map((name) => `@${String(name)}`).join(', ')}`

/** Supports `Range`: without it a browser cannot seek in a video. */
async function sendVideo(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const file = await stat(path).catch(() => null)
  if (file === null) return sendPage(reply, 404, missingPage)
  const range = readRange(request.headers.range, file.size)
  void reply.type('video/mp4').header('accept-ranges', 'bytes')
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${file.size}`).send()
  const { first, last } = range ?? { first: 0, last: file.size - 1 }
  void reply.header('content-length', last - first + 1)
  if (range !== null) void reply.code(206).header('content-range', `bytes ${first}-${last}/${file.size}`)
  return request.method === 'HEAD'
    ? reply.send()
    : reply.send(createReadStream(path, { start: first, end: last }))
}

function readRange(
  header: string | undefined,
  size: number,
): { first: number; last: number } | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return null
  const first = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const last = match[1] === '' || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  return first > last ? 'unsatisfiable' : { first, last }
}
