import { setImmediate as letOthersRun } from 'node:timers/promises'
import { IMPORT_TARGETS_MAX, POST_AFTER_MAX_MINUTES } from '#contract/limits.ts'
import { hasDefaults, type ImportColumn, type ImportError } from '#contract/planning/csv.ts'
import { PLATFORM_NAMES, PlatformId } from '#contract/platforms/index.ts'
import { TimeZone } from '#contract/users.ts'
import { instantOf, spreadOver, whyNotAt } from '#domain/schedule/schedule.ts'
import { platformOff } from '#base/problem.ts'
import type { AccountRow } from '../accounts/store.ts'
import { type CheckedTarget, inspectPost } from '../posts/check-post.ts'
import type { PostDeps } from '../posts/create-post.ts'
import { factsOf, type VideoRow } from '../videos/video.ts'
import {
  accountsByName,
  cut,
  findAccounts,
  idIn,
  type Nameable,
  SAME_NAME_SHOWN,
  wordsIn,
} from './find-accounts.ts'
import type { FileLine } from './read-file.ts'

export type CsvReferences = {
  readonly accounts: readonly AccountRow[]
  readonly sets: Nameable['sets']
  /** The brands' own zones; null: the user's zone. */
  readonly zones: ReadonlyMap<number, string | null>
  readonly userZone: string
  readonly byName: ReadonlyMap<string, readonly number[]>
  readonly videos: ReadonlyMap<number, VideoRow>
  readonly now: number
}

export type PlannedPost = {
  readonly line: number
  readonly caption: string
  readonly video: VideoRow
  readonly targets: readonly CheckedTarget[]
  readonly at: number
  readonly publishAt: { readonly local: string; readonly timezone: string }
}

type Report = (column: ImportColumn, message: string) => void

export async function checkLines(
  platforms: PostDeps['platforms'],
  named: CsvReferences,
  lines: readonly FileLine[],
): Promise<{ readonly planned: readonly PlannedPost[]; readonly errors: readonly ImportError[] }> {
  const errors: ImportError[] = []
  const planned: PlannedPost[] = []
  const seen = new Map<string, number>()
  const nameable = { byName: accountsByName(named.accounts), sets: named.sets }
  let targets = 0
  for (const { line, cells } of lines) {
    // Hundreds of long captions for thousands of accounts would block other users' calls.
    await letOthersRun()
    const ofLine: ImportError[] = []
    const report: Report = (column, message) => {
      const isKnown = ofLine.some((one) => one.column === column && one.message === message)
      if (!isKnown) ofLine.push({ line, column, message })
    }
    const words = wordsIn(cells.accounts)
    const isTooLong = targets + words.length > IMPORT_TARGETS_MAX
    const accounts = isTooLong ? [] : findAccounts(nameable, words, (message) => report('accounts', message))
    // Sets have more accounts than words.
    targets += Math.max(words.length, accounts.length)
    if (targets > IMPORT_TARGETS_MAX) {
      report(
        'accounts',
        `A file may name up to ${IMPORT_TARGETS_MAX} accounts in all, and this line goes over that. Split the file.`,
      )
      return { planned, errors: [...errors, ...ofLine] }
    }
    const post = checkLine(platforms, named, { line, cells }, accounts, report)
    const same = post === null ? undefined : seen.get(toKey(post))
    if (same !== undefined) report('video', `This repeats the post on line ${same}.`)
    if (post !== null) seen.set(toKey(post), same ?? line)
    if (post !== null && ofLine.length === 0) planned.push(post)
    errors.push(...ofLine)
  }
  return { planned, errors }
}

const withoutDefaults = (id: PlatformId): string =>
  `A post to ${PLATFORM_NAMES[id]} needs choices that a CSV file has no column for. Make it under New post.`

const toKey = ({ video, targets, at }: PlannedPost): string =>
  [video.video_id, at, ...targets.map(({ account }) => account.account_id).toSorted((a, b) => a - b)].join(
    ' ',
  )

function checkLine(
  platforms: PostDeps['platforms'],
  named: CsvReferences,
  { line, cells }: FileLine,
  all: readonly AccountRow[],
  report: Report,
): PlannedPost | null {
  const video = findVideo(named, cells.video, report)
  const accounts = all.filter(({ platform }) => {
    const id = PlatformId.parse(platform)
    if (platforms[id] === null) report('accounts', platformOff(id).message)
    if (!hasDefaults(id)) report('accounts', withoutDefaults(id))
    return platforms[id] !== null && hasDefaults(id)
  })
  const time = readTime(named, accounts, cells, report)
  const after = spreadOver(accounts.length, readSpread(cells, report))
  if (video === null) return null
  const { checked, errors } = inspectPost(platforms, {
    videoField: 'video',
    video: { facts: factsOf(video), size: video.size },
    targets: accounts.map((account, nth) => ({
      account,
      target: {
        accountId: account.account_id,
        text: cells.caption,
        textField: 'caption',
        options: {},
        field: 'accounts',
        optionsField: 'accounts',
        platform: null,
        afterMinutes: after[nth] ?? 0,
      },
    })),
    pictures: new Set(),
  })
  for (const [field, messages] of Object.entries(errors)) {
    for (const message of messages)
      report(field === 'video' || field === 'caption' ? field : 'accounts', message)
  }
  return time === null ? null : { line, caption: cells.caption, video, targets: checked, ...time }
}

function findVideo({ byName, videos }: CsvReferences, cell: string, report: Report): VideoRow | null {
  if (cell === '') {
    report('video', 'Give the name or id of a video in your library.')
    return null
  }
  const [videoId = idIn(cell), ...others] = byName.get(cell) ?? []
  if (others.length > 0) {
    const ids = [videoId, ...others].slice(0, SAME_NAME_SHOWN).join(', ')
    report(
      'video',
      `${others.length < SAME_NAME_SHOWN ? others.length + 1 : 'Many'} videos are called “${cut(cell)}”. Give the id of one instead, such as ${ids}.`,
    )
    return null
  }
  const video = videoId === null ? undefined : videos.get(videoId)
  if (!video)
    report(
      'video',
      `No video in your library is called “${cut(cell)}”. Give its full name, such as “tart.mp4”.`,
    )
  return video ?? null
}

/** Minutes; empty: all at once. */
function readSpread({ spread }: FileLine['cells'], report: Report): number {
  const minutes = /^\d{0,5}$/.test(spread) ? Number(spread) : Number.POSITIVE_INFINITY
  if (minutes <= POST_AFTER_MAX_MINUTES) return minutes
  report(
    'spread',
    `Give the minutes over which the accounts get the post, such as 60: up to ${POST_AFTER_MAX_MINUTES}, which is a week.`,
  )
  return 0
}

type Time = Pick<PlannedPost, 'at' | 'publishAt'>

function readTime(
  { zones, userZone, now }: CsvReferences,
  accounts: readonly AccountRow[],
  cells: FileLine['cells'],
  report: Report,
): Time | null {
  const [, day, hour, minute] = /^(\d{4}-\d{2}-\d{2})[T ]+(\d{1,2}):(\d{2})(?::00)?$/.exec(cells.time) ?? []
  const isZone = cells.zone === '' || TimeZone.safeParse(cells.zone).success
  if (!isZone)
    report('zone', `“${cut(cells.zone)}” is not a time zone. Write it like Europe/Lisbon, or leave it empty.`)
  if (day === undefined || hour === undefined || minute === undefined) {
    report('time', 'Write the time like 2026-12-24 18:30.')
    return null
  }
  const local = `${day}T${hour.padStart(2, '0')}:${minute}`
  if (!isZone) {
    // A date that no zone has is invalid in every zone; UTC skips no hour.
    const missing = instantOf(local, 'UTC') === null ? whyNotAt(null, now) : null
    if (missing !== null) report('time', missing)
    return null
  }
  const brands = new Set(accounts.map(({ brand_id }) => brand_id))
  const [brandId] = brands
  const ofBrand = brands.size === 1 && brandId !== undefined ? zones.get(brandId) : null
  const timezone = cells.zone === '' ? (ofBrand ?? userZone) : cells.zone
  const at = instantOf(local, timezone)
  const wrong = whyNotAt(at, now)
  if (wrong !== null) report('time', wrong)
  return at === null || wrong !== null ? null : { at, publishAt: { local, timezone } }
}
