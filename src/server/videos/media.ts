import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Playback } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { cacheAnswer } from '#base/cached-answer.ts'
import { notFound } from '#base/problem.ts'
import { attachment } from '../http/content-disposition.ts'
import type { AnonymousLimit } from '../http/anonymous-limit.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import type { Storage } from '../storage/storage.ts'
import { loginSince } from '../users/store.ts'
import { DONE, selectVideo } from './store.ts'
import { servedMime } from './video.ts'

type MediaDeps = { readonly db: Db; readonly storage: Storage; readonly anonymousLimit: AnonymousLimit }

/** The lifetime of an ID token, which this link replaces: a `<video>` sends none. */
const PLAYER_LINK_TTL_MS = 3_600_000

/**
 * Creates an unguessable address of the video for one fetch by a platform. It works until it expires or no delivery of the
 * video is open. Expiry uses the database's clock, which all machines share.
 */
export async function mintMediaLink(db: Db, videoId: number, ttlMs: number): Promise<string> {
  const video = await db
    .selectFrom('videos')
    .select(['video_id', 'mime'])
    .where('video_id', '=', videoId)
    .executeTakeFirst()
  if (!video) throw new Error(`There is no video ${videoId}.`)
  return (await insertLink(db, video, { ttlMs, playerOf: null })).url
}

/**
 * Creates an address of the user's video for the browser's player. It works until it expires, the video is deleted, or all sessions
 * of the user end.
 * @throws Problem not_found
 */
export async function createPlayback(db: Db, userId: number, videoId: number): Promise<Playback> {
  const video = await selectVideo(db, userId, videoId).select(['video_id', 'mime']).executeTakeFirst()
  if (!video) throw notFound('video')
  const { url, expiresAt } = await insertLink(db, video, { ttlMs: PLAYER_LINK_TTL_MS, playerOf: userId })
  return { url, expires_at: expiresAt.toISOString() }
}

/**
 * Creates an address of an own picture for one fetch by a platform, as `mintMediaLink` does for a video. It also counts as a
 * use of the picture. Null: the user has no such picture any more.
 */
export async function mintPictureLink(
  db: Db,
  owned: { readonly userId: number; readonly pictureId: number },
  { ttlMs, now }: { readonly ttlMs: number; readonly now: number },
): Promise<string | null> {
  const picture = await db
    .updateTable('pictures')
    .set({ used_at: new Date(now) })
    .where('user_id', '=', owned.userId)
    .where('picture_id', '=', owned.pictureId)
    .returning('picture_id')
    .executeTakeFirst()
  if (!picture) return null
  return (await insertLink(db, { ...picture, mime: JPEG }, { ttlMs, playerOf: null })).url
}
const JPEG = 'image/jpeg'

type Linked = { readonly mime: string } & ({ readonly video_id: number } | { readonly picture_id: number })

async function insertLink(
  db: Db,
  { mime, ...linked }: Linked,
  { ttlMs, playerOf }: { readonly ttlMs: number; readonly playerOf: number | null },
) {
  const token = newSecret()
  const { expires_at: expiresAt } = await db
    .insertInto('media_links')
    .values({
      token_hash: secretHash(token),
      ...linked,
      for_player: playerOf !== null,
      login_since: playerOf === null ? null : loginSince(playerOf),
      expires_at: sql<Date>`now() + ${ttlMs} * interval '1 millisecond'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { url: `/media/${token}${EXTENSIONS[mime] ?? ''}`, expiresAt }
}

/** Platforms look at the extension as well as at the type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
  'video/webm': '.webm',
  [JPEG]: '.jpg',
}

/**
 * Meta honours robots.txt when it fetches a video ("Restricted by robots.txt", subcode 2207052), and Google Calendar when it fetches a
 * feed ("robots.txt prevents us from crawling the URL").
 */
const ROBOTS = `User-agent: facebookexternalhit
User-agent: meta-externalfetcher
Allow: /media/
Disallow: /

User-agent: *
Allow: /feeds/
Disallow: /
`

/** `GET` and `HEAD /media/:token`, and `/robots.txt`. No sign-in, no redirects, no cookies: the address is the permission. */
export function mediaPlugin(deps: MediaDeps): FastifyPluginAsync {
  return async (app) => {
    app.route<MediaRoute>({
      method: ['GET', 'HEAD'],
      url: '/media/:token',
      exposeHeadRoute: false,
      handler: (request, reply) => serve(deps, request, reply),
    })
    const sendRobots = cacheAnswer({
      type: 'text/plain; charset=utf-8',
      cacheControl: 'public, max-age=3600',
      make: () => ROBOTS,
    })
    app.get('/robots.txt', (request, reply) => sendRobots(request, reply, null))
  }
}

type MediaRoute = { readonly Params: { token: string }; readonly Querystring: Record<string, unknown> }

async function serve(deps: MediaDeps, request: FastifyRequest<MediaRoute>, reply: FastifyReply) {
  const media = await findMedia(deps, request)
  reply.headers({
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex',
  })
  if (!media) throw notFound('video')
  const etag = `"${media.sha256}"`
  reply.headers({
    // A player requests the same parts repeatedly, so its browser may cache them.
    ...(media.for_player && { 'cache-control': `private, max-age=${PLAYER_LINK_TTL_MS / 1000}` }),
    // Platforms must not see the user's file name.
    ...(media.for_player &&
      request.query['download'] === '1' && { 'content-disposition': attachment(media.filename) }),
    'accept-ranges': 'bytes',
    'content-type': media.mime,
    'x-content-type-options': 'nosniff',
    etag,
  })
  const ifRange = request.headers['if-range']
  const range =
    ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, media.size) : WHOLE
  if (range === 'unsatisfiable') {
    return reply.status(416).header('content-range', `bytes */${media.size}`).type('text/plain').send('')
  }
  const { first, last } = range === 'whole' ? { first: 0, last: media.size - 1 } : range
  if (range !== 'whole') reply.status(206).header('content-range', `bytes ${first}-${last}/${media.size}`)
  reply.header('content-length', last - first + 1)
  if (request.method === 'HEAD') return reply.send()
  return reply.send(await deps.storage.read(media.storage_key, first, last))
}

/** Finds the video or picture of an address that has not expired. */
async function findMedia({ db, anonymousLimit }: MediaDeps, request: FastifyRequest<MediaRoute>) {
  const token = /^([\w-]{43})(?:\.\w{1,4})?$/.exec(request.params.token)?.[1]
  if (token === undefined) return undefined
  return anonymousLimit(request, async () => {
    const video = await findVideo(db, token)
    if (video) return { ...video, mime: servedMime(video.mime) }
    const picture = await findPicture(db, token)
    return picture && { ...picture, mime: JPEG, for_player: false as const }
  })
}

const findVideo = (db: Db, token: string) =>
  db
    .selectFrom('media_links')
    .innerJoin('videos', 'videos.video_id', 'media_links.video_id')
    .select(['videos.storage_key', 'videos.size', 'videos.mime', 'videos.sha256', 'videos.filename'])
    .select('media_links.for_player')
    .where('token_hash', '=', secretHash(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('videos.deleted_at', 'is', null)
    // A published, failed or cancelled delivery needs no address; a new attempt gets its own.
    .where((eb) =>
      eb.or([
        eb.and([
          eb('media_links.for_player', '=', true),
          eb('media_links.login_since', 'is not distinct from', loginSince(sql.ref('videos.user_id'))),
        ]),
        eb.and([
          eb('media_links.for_player', '=', false),
          eb.exists(
            eb
              .selectFrom('posts')
              .innerJoin('deliveries', 'deliveries.post_id', 'posts.post_id')
              .select('deliveries.delivery_id')
              .whereRef('posts.video_id', '=', 'videos.video_id')
              .where('deliveries.state', 'not in', DONE),
          ),
        ]),
      ]),
    )
    .executeTakeFirst()

/** Like a video, a picture is served only while a delivery with it is open. */
const findPicture = (db: Db, token: string) =>
  db
    .selectFrom('media_links')
    .innerJoin('pictures', 'pictures.picture_id', 'media_links.picture_id')
    .select(['pictures.storage_key', 'pictures.size', 'pictures.sha256'])
    .where('token_hash', '=', secretHash(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('delivery_pictures')
          .innerJoin('deliveries', 'deliveries.delivery_id', 'delivery_pictures.delivery_id')
          .select('deliveries.delivery_id')
          .whereRef('delivery_pictures.picture_id', '=', 'pictures.picture_id')
          .where('deliveries.state', 'not in', DONE),
      ),
    )
    .executeTakeFirst()

type Range = { readonly first: number; readonly last: number } | 'whole' | 'unsatisfiable'
const WHOLE = 'whole'

/**
 * RFC 9110, 14.2: a range that we do not understand, or several of them, may be answered with the whole; one that begins
 * beyond the end cannot be satisfied. Both ends are included.
 */
export function parseRange(header: string | undefined, size: number): Range {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replaceAll(/\s/g, '') ?? '')
  if (!match) return WHOLE
  const [, from = '', to = ''] = match
  if (from === '' && to === '') return WHOLE
  if (from === '') {
    const length = Number(to)
    return length === 0 ? 'unsatisfiable' : { first: Math.max(0, size - length), last: size - 1 }
  }
  const first = Number(from)
  if (to !== '' && Number(to) < first) return WHOLE
  if (first >= size) return 'unsatisfiable'
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
