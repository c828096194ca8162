import { createHash } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { PlatformName } from './faults.ts'
import type { Store, Table } from './store.ts'

export const counterNames = [
  'views',
  'likes',
  'comments',
  'shares',
  'saves',
  'followers_gained',
  'reach',
  'average_watch_ms',
  'total_watch_ms',
] as const
export type CounterName = (typeof counterNames)[number]

/** Whole numbers, times in ms. null: the platform does not tell it, as one that is hidden. */
export type Counters = Record<CounterName, number | null>

interface WatchedPost {
  id: string
  username: string
  created_at: number
}

export interface Audience {
  /** @param at epoch ms of the practice clock; default: now */
  count(platform: PlatformName, post: WatchedPost, at?: number): Counters
  /** From now on these stand still; the others go on by themselves. */
  set(platform: PlatformName, id: string, counters: Partial<Counters>): void
}

export function openAudience(store: Store, clock: Clock): Audience {
  const fixed: Table<Partial<Counters>> = store.table('audience')
  return {
    count: (platform, post, at = clock.now()) => {
      const set = fixed.get(`${platform} ${post.id}`) ?? {}
      return { ...growCounters(platform, post, at, set.views), ...set }
    },
    set: (platform, id, counters) => {
      const key = `${platform} ${id}`
      fixed.put(key, { ...fixed.get(key), ...counters })
    },
  }
}

/** The same for the same post at the same age: what differs follows from the names. The other counters follow from the views. */
function growCounters(
  platform: PlatformName,
  { id, username, created_at }: WatchedPost,
  at: number,
  setViews: number | null | undefined,
): Counters {
  const chance = (what: string): number => between(`${platform} ${id} ${what}`)
  const usual = 300 * 2 ** (6 * between(`${platform} ${username}`))
  const luck = 0.4 * 2 ** (2.6 * chance('luck')) * (chance('hit') > 0.93 ? 6 : 1)
  const views = setViews ?? Math.floor(usual * luck * grown(Math.max(0, at - created_at)))
  const share = (what: string, least: number, most: number): number =>
    Math.floor(views * (least + (most - least) * chance(what)))
  const average = Math.round(3000 + 9000 * chance('watch'))
  return {
    views,
    likes: share('likes', 0.04, 0.09),
    comments: share('comments', 0.002, 0.012),
    shares: share('shares', 0.003, 0.02),
    saves: share('saves', 0.004, 0.018),
    followers_gained: share('followers', 0.001, 0.008),
    reach: share('reach', 0.7, 0.92),
    average_watch_ms: views === 0 ? 0 : average,
    total_watch_ms: views * average,
  }
}

const hourMs = 3_600_000

/** The part of all its views that a post has at an age: 7 % after an hour, 65 % after a day, 86 % after a week, 95 % after four. */
function grown(ageMs: number): number {
  const hours = ageMs / hourMs
  const within = (scale: number): number => 1 - Math.exp(-hours / scale)
  return 0.6 * within(8) + 0.25 * within(72) + 0.15 * within(600)
}

/** A number from 0 to 1 that is always the same for a text. */
const between = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 0xff_ff_ff_ff
