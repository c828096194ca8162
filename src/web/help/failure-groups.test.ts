import { describe, expect, it } from 'vitest'
import { FAILURE_COURSES, type KnownFailure } from '#contract/help.ts'
import { courseNote, FAILURE_GROUPS, namesCode, search, spelledOut } from './failure-groups.ts'

const SPAM: KnownFailure = {
  message: 'TikTok refused this post as possible spam.',
  remedy: 'Make a new post with another video or caption.',
  course: 'needs_you',
  waits_s: [],
  gives_up: false,
  codes: [{ platform: 'tiktok', codes: ['spam_risk'] }],
}
const COVER: KnownFailure = {
  ...SPAM,
  message: 'The chosen cover is not within the video.',
  remedy: 'Choose another cover and make a new post.',
  codes: [{ platform: 'instagram', codes: ['1/2207057'] }],
}

it('every failure course has a group', () => {
  expect(FAILURE_GROUPS.flatMap(({ courses }) => courses).toSorted()).toEqual(FAILURE_COURSES.toSorted())
})

const found = (words: string) => search([SPAM, COVER], words)
const note = (rest: Partial<KnownFailure>) => courseNote({ ...SPAM, ...rest })

describe('the search', () => {
  it('finds a code, words in any order, and a platform', () => {
    expect(found('2207057')).toEqual([COVER])
    expect(found('SPAM tiktok')).toEqual([SPAM])
    expect(found('instagram')).toEqual([COVER])
    expect(found('  ')).toEqual([SPAM, COVER])
    expect(found('spam cover')).toEqual([])
  })
  it('knows whether the search named a code', () => {
    expect(namesCode(COVER, ' 2207057 ')).toBe(true)
    expect(namesCode(COVER, 'cover')).toBe(false)
    expect(namesCode(COVER, '')).toBe(false)
  })
})

describe('the note on retries', () => {
  it.each([
    [
      { course: 'tries_again', waits_s: [300, 1800], gives_up: true },
      'Tried again after 5 minutes, then 30 minutes. Then the post fails.',
    ],
    [
      { course: 'tries_again', waits_s: [65], gives_up: false },
      'Tried again every 65 seconds, until it works.',
    ],
    [
      { course: 'tries_again', waits_s: [60, 600, 3600, 7200, 3600], gives_up: true },
      'Tried 5 more times within about 4 hours. Then the post fails.',
    ],
    [{ course: 'waits', waits_s: [86_400] }, 'Tried again after 24 hours.'],
    [{ course: 'needs_you' }, null],
  ] as const)('%o: %s', (rest, said) => {
    expect(note({ ...rest, waits_s: 'waits_s' in rest ? [...rest.waits_s] : [] })).toBe(said)
  })
  it('uses everyday units of time', () => {
    expect([1, 45, 60, 65, 120, 3600, 5400, 86_400].map(spelledOut)).toEqual([
      '1 second',
      '45 seconds',
      '1 minute',
      '65 seconds',
      '2 minutes',
      '1 hour',
      '2 hours',
      '24 hours',
    ])
  })
})
