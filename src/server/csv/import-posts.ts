import { accountName } from '#contract/accounts.ts'
import { IMPORT_ERRORS_MAX, IMPORT_TARGETS_MAX, IMPORT_TEXT_CHARS } from '#contract/limits.ts'
import type { PostId } from '#contract/ids.ts'
import {
  IMPORT_COLUMNS,
  type ImportError,
  type ImportedLine,
  type PostImport,
} from '#contract/planning/csv.ts'
import type { User } from '#contract/users.ts'
import { cutText } from '#contract/well-formed.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { minutesAfter } from '#domain/schedule/schedule.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { recordPostEvents } from '../deliveries/post-events.ts'
import { assertWaitingRoom } from '../deliveries/store.ts'
import { refusal } from '../http/parse.ts'
import type { CheckedTarget } from '../posts/check-post.ts'
import { insertCheckedPost, type PostDeps } from '../posts/create-post.ts'
import { requestHash } from '../posts/idempotency.ts'
import { insertPostedBrands, lockVideos } from '../videos/store.ts'
import { findSets } from '../presets/store.ts'
import { checkLines, type PlannedPost } from './check-lines.ts'
import { idIn, SAME_NAME_SHOWN, setNameIn, wordsIn } from './find-accounts.ts'
import { readFileApart } from './read-apart.ts'
import type { File, FileLine } from './read-file.ts'
import {
  brandZones,
  lockImports,
  lockAllLinked,
  readScheduledAt,
  takeImportKey,
  updateImport,
  videosNamed,
} from './store.ts'

type Plan = { readonly planned: readonly PlannedPost[]; readonly errors: readonly ImportError[] }

/** Validates a file of posts without creating any. */
export async function tryImport(deps: PostDeps, user: User, csv: string): Promise<PostImport> {
  const file = await readFileApart(user.user_id, csv)
  const { planned, errors } = await deps.db.transaction().execute((trx) => plan(trx, deps, user, file))
  return {
    posts: planned.length,
    post_ids: [],
    errors: errors.slice(0, IMPORT_ERRORS_MAX),
    lines: planned.map(toLine),
  }
}

/**
 * Creates all posts of a file or none. @throws Problem invalid, with the errors as `lines.12.video`; conflict if the key
 * belongs to another file
 */
export async function importPosts(
  deps: PostDeps,
  user: User,
  csv: string,
  { key, markReplayed }: { readonly key: string | null; readonly markReplayed: () => void },
): Promise<PostImport> {
  const { user_id: userId } = user
  const file = await readFileApart(userId, csv)
  return deps.db.transaction().execute(async (trx) => {
    const hash = requestHash('import', csv)
    const earlier = key === null ? null : await takeImportKey(trx, { userId, key }, { hash, now: deps.now() })
    if (earlier !== null && !earlier.hash.equals(hash))
      throw new Problem('key_reused', 'This Idempotency-Key was used for another file. Use a new key.')
    if (earlier !== null) markReplayed()
    if (earlier !== null) return made(earlier.postIds)
    const { planned, errors } = await plan(trx, deps, user, file)
    if (errors.length > 0) throw refusal('invalid', byField(errors.slice(0, IMPORT_ERRORS_MAX)))
    const more = planned.reduce((sum, { targets }) => sum + targets.length, 0)
    await assertWaitingRoom(trx, { userId, more, field: 'csv' })
    const postIds: number[] = []
    for (const post of planned) postIds.push(await insertPlanned(trx, deps, userId, post))
    const posted = planned.map(({ video, targets }) => ({
      videoId: video.video_id,
      brandIds: targets.map(({ account }) => account.brand_id),
    }))
    if (posted.length > 0) await insertPostedBrands(trx, posted)
    const changes = postIds.map((postId) => ({ userId, postId, planned: true as const }))
    await recordPostEvents(trx, changes, deps.now())
    if (key !== null) await updateImport(trx, { userId, key }, postIds)
    return made(postIds)
  })
}

const made = (postIds: readonly number[]): PostImport => ({
  posts: postIds.length,
  post_ids: postIds.map((id) => id as PostId), // ids come out of the database unbranded
  errors: [],
  lines: [],
})

async function plan(trx: Db, deps: PostDeps, user: User, file: File): Promise<Plan> {
  const { planned, errors } = await checkLines(
    deps.platforms,
    await namedIn(trx, deps, user, file.lines),
    file.lines,
  )
  const again = await findScheduledAgain(trx, user.user_id, planned)
  return {
    planned: planned.filter((post) => !again.includes(post)),
    errors: [...file.errors, ...errors, ...again.map(scheduledAlready)].toSorted(byPlace),
  }
}

const scheduledAlready = ({ line }: PlannedPost): ImportError => ({
  line,
  column: null,
  message: 'This video is already scheduled for one of these accounts at this time.',
})

const toKey = (videoId: number, accountId: number, at: number): string => `${videoId} ${accountId} ${at}`

/** A file that is chosen again after a lost answer has another key, and must not post everything twice. */
async function findScheduledAgain(
  trx: Db,
  userId: number,
  planned: readonly PlannedPost[],
): Promise<PlannedPost[]> {
  await lockImports(trx, userId)
  const times = planned.flatMap((post) => post.targets.map((target) => timeOf(post, target)))
  const present = new Set(
    (await readScheduledAt(trx, userId, times)).map((one) =>
      toKey(one.video_id, one.account_id, one.goes_out_at?.getTime() ?? 0),
    ),
  )
  return planned.filter((post) =>
    post.targets.some((target) =>
      present.has(toKey(post.video.video_id, target.account.account_id, timeOf(post, target))),
    ),
  )
}

const timeOf = ({ at }: PlannedPost, { afterMinutes }: CheckedTarget): number =>
  minutesAfter(at, afterMinutes ?? 0)

/** A line's own errors come before those of its cells. */
const byPlace = (one: ImportError, other: ImportError): number =>
  one.line - other.line || columnAt(one) - columnAt(other)
const columnAt = ({ column }: ImportError): number => IMPORT_COLUMNS.findIndex((name) => name === column)

/** Loads and locks everything the file may name until the transaction ends, in the lock order of a post. */
async function namedIn(
  trx: Db,
  deps: PostDeps,
  { user_id: userId, timezone }: User,
  lines: readonly FileLine[],
) {
  const accounts = await lockAllLinked(trx, userId)
  const cells = lines.map(({ cells: { video } }) => video)
  const byName = await videosNamed(trx, userId, cells, SAME_NAME_SHOWN + 1)
  // More words than accounts are refused, so later sets are never looked at.
  const setNames = lines
    .flatMap(({ cells: { accounts: cell } }) => wordsIn(cell).flatMap((word) => setNameIn(word) ?? []))
    .slice(0, IMPORT_TARGETS_MAX)
  const ids = cells.flatMap((cell) => byName.get(cell) ?? idIn(cell) ?? [])
  return {
    accounts,
    sets: await findSets(trx, userId, setNames),
    zones: await brandZones(trx, userId),
    userZone: knownZone(timezone),
    byName,
    videos: await lockVideos(trx, userId, ids),
    now: deps.now(),
  }
}

const insertPlanned = (trx: Db, deps: PostDeps, userId: number, post: PlannedPost): Promise<number> =>
  insertCheckedPost(
    trx,
    deps,
    {
      userId,
      videoId: post.video.video_id,
      text: post.caption,
      now: deps.now(),
      publishTime: post.at,
      publishAt: post.publishAt,
      idempotency: null,
      reference: null,
    },
    post.targets,
  )

const toLine = (post: PlannedPost): ImportedLine => ({
  line: post.line,
  text: cutText(post.caption, IMPORT_TEXT_CHARS),
  filename: post.video.filename,
  accounts: post.targets.map(({ account, platform }) => ({
    platform,
    name: accountName(account),
    avatar_url: account.avatar_url,
  })),
  at: new Date(post.at).toISOString(),
  timezone: post.publishAt.timezone,
  last_at: new Date(Math.max(...post.targets.map((target) => timeOf(post, target)))).toISOString(),
})

function byField(errors: readonly ImportError[]): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const { line, column, message } of errors)
    (fields[column === null ? `lines.${line}` : `lines.${line}.${column}`] ??= []).push(message)
  return fields
}
