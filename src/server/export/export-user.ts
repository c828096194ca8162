import path from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import yazl from 'yazl'
import type { z } from 'zod'
import { ResultsAge } from '#contract/results.ts'
import { EXPORT_COLUMNS } from '#contract/planning/csv.ts'
import { RESULTS_COLUMNS, resultLines } from '../results/export-route.ts'
import { API } from '#contract/api/api.ts'
import { Draft } from '#contract/drafts.ts'
import { NotificationSettings } from '#contract/notifications.ts'
import { PostDetail } from '#contract/posts.ts'
import { User } from '#contract/users.ts'
import { Video } from '#contract/videos.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { listApiKeys } from '../api-keys/store.ts'
import { listAccounts } from '../accounts/store.ts'
import { listBrands } from '../brands/store.ts'
import { exportRows } from '../csv/export-rows.ts'
import { toCsv } from '../csv/export-route.ts'
import { findDraft, listDrafts } from '../drafts/store.ts'
import { type CallerDeps, requireCaller } from '../http/caller.ts'
import type { MountDeps } from '../http/mount.ts'
import { parse } from '../http/parse.ts'
import { listVideos } from '../library/list-videos.ts'
import { findSettings } from '../notifications/store.ts'
import { listPostsAfter } from '../posts/read.ts'
import { listPresets } from '../presets/store.ts'
import { listSchedules, type ScheduleDeps } from '../schedules/change-schedule.ts'
import type { Storage } from '../storage/storage.ts'
import { selectVideo } from '../videos/store.ts'
import { listWebhooks } from '../webhooks/store.ts'

type ExportDeps = CallerDeps &
  Pick<MountDeps, 'userLimit'> &
  ScheduleDeps & { readonly storage: Pick<Storage, 'read'> }

/** Runs the read of a page within the user's permit. */
type Track = <T>(work: () => Promise<T>) => Promise<T>

/** A post has up to a hundred captions and as many timelines. */
const POSTS_AT_ONCE = 20
const VIDEOS_AT_ONCE = 100

/**
 * `GET /user/export` streams a ZIP file, which is read page by page as fast as the client takes it. Its directory is its end, so that
 * a download that broke off is no ZIP file. The database ends each slow statement, the user's limit each client that reads nothing.
 */
export function mountUserExport(app: FastifyInstance, deps: ExportDeps): void {
  const endpoint = API.exportUser
  const exporting = new Set<number>()
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const { user } = await requireCaller(deps, endpoint, request, reply)
      await deps.userLimit.enter(user.user_id, reply.raw)
      const { videos } = parse(endpoint.query, request.query, 'malformed')
      const name = `reelay-${new Date(deps.now()).toISOString().slice(0, 10)}.zip`
      reply.headers({
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      })
      if (request.method === 'HEAD') return reply.send()
      if (exporting.has(user.user_id))
        throw new Problem('too_many_requests', 'Another download of your data is still running.', {
          retryAfterS: 30,
        })
      // No `close` follows if the client left meanwhile.
      if (reply.raw.destroyed) return reply.hijack()
      exporting.add(user.user_id)
      const gone = new AbortController()
      reply.raw.once('close', () => {
        exporting.delete(user.user_id)
        gone.abort()
      })
      const track: Track = (work) => deps.userLimit.track(reply.raw, work)
      const zip = zipUserData(deps, { user, hasFiles: videos === 'true', track, gone: gone.signal })
      return reply.send(zip)
    },
  })
}

type Wanted = {
  readonly user: User
  readonly hasFiles: boolean
  readonly track: Track
  readonly gone: AbortSignal
}

function zipUserData(deps: ExportDeps, { user, hasFiles, track, gone }: Wanted): Readable {
  const { db, storage } = deps
  const userId = user.user_id
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable // a PassThrough
  // Fastify then ends the connection without the end of the answer, and logs why.
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)))
  zip.on('error', fail)
  let current: Readable | null = null
  gone.addEventListener('abort', () => current?.destroy())
  /** Opened once the entries before it are written, which is also when it resolves. */
  const add = (name: string, open: () => Promise<Readable> | Readable, options: object = {}) =>
    new Promise<void>((resolve) => {
      zip.addReadStreamLazy(name, options, (begin) => {
        resolve()
        Promise.resolve()
          .then(open)
          .then((stream) => {
            current = stream.once('error', fail)
            if (gone.aborted) stream.destroy()
            begin(null, stream)
          })
          .catch(fail)
      })
    })
  const addWhole = (name: string, schema: z.ZodType, read: () => unknown) =>
    add(name, async () => Readable.from([JSON.stringify(schema.parse(await track(async () => read())))]))
  const addList = (name: string, items: () => AsyncIterable<unknown>) =>
    add(name, () => Readable.from(toJsonArray(items()), { objectMode: false }))

  // Schemas leave out what the API does not show.
  void addWhole('profile.json', User, () => user)
  void addWhole('brands.json', API.listBrands.reply, () => listBrands(db, userId))
  void addWhole('accounts.json', API.listAccounts.reply, () => listAccounts(db, userId, undefined))
  void addWhole('schedules.json', API.listSchedules.reply, () => listSchedules(deps, userId))
  void addWhole('notification-settings.json', NotificationSettings, () => findSettings(db, userId))
  void addWhole('webhooks.json', API.listWebhooks.reply, () => listWebhooks(db, userId, deps.now()))
  void addWhole('api-keys.json', API.listApiKeys.reply, () => listApiKeys(db, userId, deps.now()))
  void addWhole('presets.json', API.listPresets.reply, () => listPresets(db, userId))
  void addList('drafts.json', () => draftsOf(deps, userId, track))
  void addList('videos.json', () => videosOf(db, user, track))
  void addList('posts.json', () => postsOf(db, userId, track))
  const all = {
    userId,
    brandId: null,
    from: undefined,
    before: undefined,
    timezone: knownZone(user.timezone),
  }
  void add('posts.csv', () => toCsv(exportRows(db, all, track), EXPORT_COLUMNS))
  const results = async function* () {
    for (const age of ResultsAge.options) yield* resultLines(deps, user, { userId, age }, track)
  }
  void add('results.csv', () => toCsv(results(), RESULTS_COLUMNS))
  /** One after the other: a library may have more videos than a list in memory should. */
  const addFiles = async () => {
    for await (const { video_id: id, filename, size } of videosOf(db, user, track))
      await add(
        `videos/${id}${/^\.\w{1,5}$/.exec(path.extname(filename))?.[0] ?? ''}`,
        async () => {
          const video = selectVideo(db, userId, id).select('storage_key')
          const { storage_key: key } = await track(() => video.executeTakeFirstOrThrow())
          return storage.read(key, 0, size - 1)
        },
        { size, compress: false },
      )
  }
  ;(hasFiles ? addFiles() : Promise.resolve()).then(() => zip.end()).catch(fail)
  return output
}

async function* draftsOf({ db, now }: ExportDeps, userId: number, track: Track): AsyncGenerator<Draft> {
  const listed = await track(() => listDrafts(db, { userId, deleted: false, now: now() }))
  for (const { draft_id: draftId } of listed) {
    const draft = await track(() => findDraft(db, { userId, draftId, now: now() }))
    if (draft !== null) yield Draft.parse(draft)
  }
}

async function* videosOf(db: Db, user: User, track: Track): AsyncGenerator<Video> {
  let cursor: string | undefined
  do {
    const page = { sort: 'oldest', limit: VIDEOS_AT_ONCE, cursor } as const
    const { videos, next_cursor } = await track(() => listVideos(db, user, page))
    for (const video of videos) yield Video.parse(video)
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
}

async function* postsOf(db: Db, userId: number, track: Track): AsyncGenerator<PostDetail> {
  let after = 0
  for (;;) {
    const page = { after, limit: POSTS_AT_ONCE }
    const posts = await track(() => listPostsAfter(db, userId, page))
    for (const post of posts) yield PostDetail.parse(post)
    const last = posts.at(-1)
    if (last === undefined || posts.length < POSTS_AT_ONCE) return
    after = last.post_id
  }
}

async function* toJsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const item of items) {
    yield before + JSON.stringify(item)
    before = ',\n'
    await letOthersRun()
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}
