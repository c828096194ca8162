import { describe, expect, it } from 'vitest'
import { MARK_AGES_H } from '#contract/results.ts'
import { compareToUsual, findUsual } from './compare.ts'
import { type Followed, takeReading } from './reading.ts'
import { LAST_AGE_MS, markAt, nextReadAt, retryReadAt } from './schedule.ts'
import { sumByPlatform, sumKnown } from './sum.ts'
import { describeMark, describeNoLatest, describeNumbers, whyNoMark } from './view.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LIVE = Date.UTC(2026, 10, 1, 12)
const post: Followed = { liveAt: LIVE, missedAt: null, goneAt: null }
const read = { kind: 'numbers', numbers: { views: 10 } } as const

/** The ages (hours) at which a post is read if every reading is so late (ms). */
function readings(lateMs: number, gone = false): number[] {
  const ages: number[] = []
  for (let next = nextReadAt(LIVE, LIVE, gone); next !== null; next = nextReadAt(LIVE, next + lateMs, gone))
    ages.push((next - LIVE) / HOUR)
  return ages
}

describe('the schedule of readings', () => {
  it('takes every mark, is denser on the first day, daily to the 28th and weekly to the 84th', () => {
    const ages = readings(60_000)
    expect(ages.slice(0, 7)).toEqual([1, 3, 6, 12, 24, 48, 72])
    expect(ages).toHaveLength(4 + 28 + 8)
    expect(MARK_AGES_H.every((age) => ages.includes(age))).toBe(true)
    expect(ages.at(-1)).toBe(84 * 24)
    expect(LAST_AGE_MS).toBe(84 * DAY)
  })

  it('of a post that is gone takes the marks alone', () => {
    expect(readings(0, true)).toEqual([...MARK_AGES_H])
  })

  it('does not read again at its time what was read early, unless that is a mark', () => {
    expect(nextReadAt(LIVE, LIVE + 2 * DAY - 10 * HOUR)).toBe(LIVE + 3 * DAY)
    expect(nextReadAt(LIVE, LIVE + 7 * DAY - HOUR)).toBe(LIVE + 7 * DAY)
  })

  it('tries a failed reading again as long as it counts for its age, then at the next one', () => {
    expect(retryReadAt(LIVE, LIVE + DAY)).toBe(LIVE + 25.5 * HOUR)
    expect(retryReadAt(LIVE, LIVE + 28.5 * HOUR)).toBe(LIVE + 30 * HOUR)
    expect(retryReadAt(LIVE, LIVE + 28.6 * HOUR)).toBe(LIVE + 2 * DAY)
    expect(retryReadAt(LIVE, LIVE + 85 * DAY)).toBeNull()
  })

  it.each([
    [HOUR, 1],
    [HOUR * 1.5, 1],
    [HOUR * 1.5 + 1, null],
    [DAY - 1, null],
    [DAY, 24],
    [30 * HOUR, 24],
    [31 * HOUR, null],
    [8 * DAY, 168],
    [8 * DAY + 1, null],
  ])('a reading %d ms after going live counts for the age %s', (age, mark) => {
    expect(markAt(LIVE, LIVE + age)).toBe(mark)
  })
})

describe('a reading', () => {
  it('keeps the numbers of its age', () => {
    expect(takeReading(post, read, LIVE + DAY)).toEqual({
      missedAt: null,
      goneAt: null,
      latest: { views: 10 },
      nextAt: LIVE + 2 * DAY,
      mark: { ageH: 24, missing: null, numbers: { views: 10 } },
    })
  })

  it('that told nothing leaves the latest numbers', () => {
    const { latest, mark } = takeReading(post, { kind: 'numbers', numbers: {} }, LIVE + DAY)
    expect(latest).toBeNull()
    expect(mark).toEqual({ ageH: 24, missing: null, numbers: {} })
  })

  it('that misses a post twice a day apart calls it gone, and one that finds it brings it back', () => {
    const at = LIVE + 2 * DAY
    const once = takeReading(post, { kind: 'absent' }, at)
    expect(once).toMatchObject({ missedAt: at, goneAt: null })
    const soon = takeReading({ ...post, ...once }, { kind: 'absent' }, at + DAY - 1)
    expect(soon.goneAt).toBeNull()
    const twice = takeReading({ ...post, ...once }, { kind: 'absent' }, at + DAY)
    expect(twice).toMatchObject({ missedAt: at, goneAt: at, nextAt: LIVE + 7 * DAY })
    const unread = takeReading({ ...post, ...twice }, { kind: 'not_allowed' }, at + 2 * DAY)
    expect(unread).toMatchObject({ missedAt: at, goneAt: at })
    expect(takeReading({ ...post, ...twice }, read, at + 5 * DAY)).toMatchObject({
      missedAt: null,
      goneAt: null,
    })
  })
})

it('a reading that could not read some of the numbers keeps the others, and is made again soon', () => {
  const partly = { views: 10, followers_gained: 'missed' } as const
  expect(takeReading(post, { kind: 'numbers', numbers: partly }, LIVE + DAY)).toMatchObject({
    latest: partly,
    mark: { ageH: 24, missing: null, numbers: partly },
    nextAt: LIVE + 25.5 * HOUR,
  })
  const withheld = { views: 10, followers_gained: 'not_allowed' } as const
  expect(takeReading(post, { kind: 'numbers', numbers: withheld }, LIVE + DAY).nextAt).toBe(LIVE + 2 * DAY)
})

it('a failed reading says nothing of the post', () => {
  const missed = { ...post, missedAt: LIVE + DAY }
  expect(takeReading(missed, { kind: 'failed' }, LIVE + 2 * DAY)).toMatchObject({
    missedAt: LIVE + DAY,
    goneAt: null,
    latest: null,
    mark: null,
  })
})

describe('what is shown', () => {
  it('never has 0 for what is not known', () => {
    expect(describeNumbers('tiktok', { views: 0 }, HOUR)).toMatchObject({
      views: { value: 0, missing: null },
      likes: { value: null, missing: 'not_yet' },
      saves: { value: null, missing: 'not_offered' },
    })
    expect(describeNumbers('tiktok', { views: 0 }, 4 * DAY).likes).toEqual({
      value: null,
      missing: 'not_offered',
    })
  })

  it('has the reason of each metric that was withheld', () => {
    const numbers = { views: 5, shares: 'missed', followers_gained: 'not_allowed' } as const
    expect(describeNumbers('youtube', numbers, 9 * DAY)).toMatchObject({
      views: { value: 5, missing: null },
      likes: { value: null, missing: 'not_offered' },
      shares: { value: null, missing: 'missed' },
      followers_gained: { value: null, missing: 'not_allowed' },
      total_watch_ms: { value: null, missing: 'not_offered' },
    })
  })

  it.each([
    [{}, 'not_yet', 'not_allowed'],
    [{ isAllowed: true }, 'not_yet', 'not_yet'],
    [{ isGone: true }, 'gone', 'gone'],
    [{ unlinkedAt: LIVE + HOUR }, 'unlinked', 'unlinked'],
  ] as const)('before a post was read, %j, has the reason of each metric', (its, views, followers_gained) => {
    const unread = {
      platform: 'youtube',
      liveAt: LIVE,
      unlinkedAt: null,
      isGone: false,
      isAllowed: false,
    } as const
    expect(describeNoLatest({ ...unread, ...its }, LIVE + 2 * HOUR)).toMatchObject({
      views: { value: null, missing: views },
      followers_gained: { value: null, missing: followers_gained },
    })
  })

  const followed = { platform: 'tiktok', liveAt: LIVE, unlinkedAt: null } as const
  it.each([
    ['before its age', followed, LIVE + 29 * HOUR, 'not_yet'],
    ['after it', followed, LIVE + 31 * HOUR, 'missed'],
    ['unlinked before', { ...followed, unlinkedAt: LIVE + HOUR }, LIVE + 31 * HOUR, 'unlinked'],
    ['unlinked after', { ...followed, unlinkedAt: LIVE + 3 * DAY }, LIVE + 4 * DAY, 'missed'],
    ['of numbers that may be kept', { ...followed, platform: 'youtube' }, LIVE + 31 * DAY, 'missed'],
    ['of numbers that may not', { ...followed, platform: 'youtube' }, LIVE + 31 * DAY + 1, 'not_kept'],
    [
      'of numbers that went with the account',
      { ...followed, platform: 'youtube', unlinkedAt: LIVE + 10 * DAY },
      LIVE + 11 * DAY,
      'unlinked',
    ],
  ] as const)('an age without a reading, %s', (_when, of, now, missing) => {
    expect(whyNoMark(of, 24, now)).toBe(missing)
    const mark = describeMark(of, 24, undefined, now)
    expect(mark).toMatchObject({ read_at: null, values: { views: { value: null, missing } } })
  })

  it('what was not reported at an age never will be, once its time is over', () => {
    const empty = { ageH: 24, missing: null, numbers: {}, readAt: LIVE + DAY } as const
    const unknown = { ...empty, missing: 'not_yet' } as const
    const viewsOf = (mark: typeof empty | typeof unknown, now: number) =>
      describeMark(followed, 24, mark, now).values.views.missing
    expect([viewsOf(empty, LIVE + 25 * HOUR), viewsOf(empty, LIVE + 31 * HOUR)]).toEqual([
      'not_yet',
      'not_offered',
    ])
    expect([viewsOf(unknown, LIVE + 25 * HOUR), viewsOf(unknown, LIVE + 31 * HOUR)]).toEqual([
      'not_yet',
      'missed',
    ])
  })

  it('a mark that found no post has the reason', () => {
    const mark = { ageH: 24, missing: 'gone', numbers: {}, readAt: LIVE + DAY } as const
    expect(describeMark(followed, 24, mark, LIVE + 2 * DAY)).toMatchObject({
      read_at: null,
      values: { saves: { missing: 'gone' }, views: { missing: 'gone' } },
    })
  })
})

describe('the comparison', () => {
  it('is with the median of the other posts, of five or more', () => {
    expect(findUsual([1, 2, 3, 4])).toBeNull()
    expect(findUsual([50, 10, 30, 20, 40])).toBe(30)
    expect(findUsual([50, 10, 30, 20, 40, 60])).toBe(35)
  })

  it.each([
    [150, 100, 'above'],
    [149, 100, 'usual'],
    [67, 100, 'usual'],
    [66, 100, 'below'],
    [0, 0, 'usual'],
    [1, 0, 'above'],
    [null, 100, null],
    [10, null, null],
  ] as const)('%s views where %s are usual: %s', (views, usual, band) => {
    expect(compareToUsual(views, usual)).toBe(band)
  })
})

it('a sum says how many of its numbers are known, and platforms without posts have none', () => {
  expect(sumKnown([5, null, 2])).toEqual({ value: 7, counted: 2, of: 3 })
  const posts = [
    { platform: 'youtube', value: null },
    { platform: 'tiktok', value: 3 },
    { platform: 'tiktok', value: 4 },
  ] as const
  expect(sumByPlatform(posts)).toEqual([
    { platform: 'tiktok', value: 7, counted: 2, of: 2 },
    { platform: 'youtube', value: 0, counted: 0, of: 1 },
  ])
})
