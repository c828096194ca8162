import { describe, expect, it } from 'vitest'
import { failureAnchor } from '#contract/help.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { REASONS, REPEATED } from '#domain/delivery/reasons.ts'
import { FINDINGS } from '#domain/video-check/post-check.ts'
import { API_RULES, FAIL_REASONS, OAUTH_RULES, OWN_RULES, PUT_RULES } from '#platforms/tiktok/api/failures.ts'
import { GRAPH_RULES, MEDIA_RULES } from '#platforms/instagram/api/graph-rules.ts'
import {
  API_RULES as YOUTUBE_API_RULES,
  COMMENT_RULES as YOUTUBE_COMMENT_RULES,
  FAILURE_REASONS as YOUTUBE_FAILURE_REASONS,
  REJECTION_REASONS as YOUTUBE_REJECTION_REASONS,
} from '#platforms/youtube/api/failures.ts'
import { knownFailures } from './known-failures.ts'

const failures = knownFailures()

const entryOf = (message: string) => {
  const found = failures.filter((failure) => failure.message === message)
  expect(found, message).toHaveLength(1)
  return found[0]
}

describe('the failures listed in the help', () => {
  const tables = {
    tiktok: [API_RULES, FAIL_REASONS, OAUTH_RULES, OWN_RULES, PUT_RULES],
    instagram: [GRAPH_RULES, MEDIA_RULES],
    youtube: [YOUTUBE_API_RULES, YOUTUBE_COMMENT_RULES, YOUTUBE_FAILURE_REASONS, YOUTUBE_REJECTION_REASONS],
  }
  for (const platform of PLATFORM_IDS) {
    it(`every code of every table of ${platform} is listed with its message`, () => {
      const rules = tables[platform].flatMap((table) => Object.entries(table))
      expect(rules.length).toBeGreaterThan(50)
      for (const [code, { message, remedy }] of rules) {
        const entry = entryOf(message)
        expect(entry?.remedy).toBe(
          entry?.gives_up === false && entry.course === 'tries_again' ? REPEATED : remedy,
        )
        expect(entry?.codes.find((of) => of.platform === platform)?.codes).toContain(code)
      }
    })
    it(`every reason and every video finding is listed for ${platform}`, () => {
      for (const { code, message } of Object.values(REASONS)) {
        expect(entryOf(message)?.codes).toContainEqual({ platform, codes: [code] })
      }
      for (const [code, { message }] of Object.entries(FINDINGS)) {
        expect(entryOf(message)?.codes.find((of) => of.platform === platform)?.codes).toContain(code)
      }
    })
  }

  it('every failure has a message and a remedy, both sentences', () => {
    for (const { message, remedy } of failures) {
      expect(message).toMatch(/^\S.*[.:]$|\)\.$/)
      expect(remedy).toMatch(/^\S.*\.$/)
    }
  })

  it('each failure has its own anchor on the page', () => {
    const anchors = failures.map(failureAnchor)
    expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([])
    for (const anchor of anchors) expect(anchor).toMatch(/^failure-[a-z0-9-]+[a-z0-9]$/)
  })

  it('failures with the same message and remedy share one entry', () => {
    expect(entryOf('TikTok did not accept the settings of this post.')?.codes).toEqual([
      { platform: 'tiktok', codes: ['invalid_params', 'invalid_param'] },
    ])
  })
})

describe('what follows a failure', () => {
  it.each([
    ['TikTok refused the caption of this post.', { course: 'needs_you', waits_s: [] }],
    ["Reelay's access to this TikTok account has ended.", { course: 'needs_link', waits_s: [] }],
    ["Reelay's access to this account has expired.", { course: 'renewed', waits_s: [] }],
    [
      'This account has reached the number of posts that Instagram allows within 24 hours.',
      { course: 'waits', waits_s: [3600], gives_up: false },
    ],
    ['TikTok failed to process the video.', { course: 'tries_again', waits_s: [300, 1800], gives_up: true }],
    ['TikTok asked Reelay to slow down.', { course: 'tries_again', waits_s: [65], gives_up: false }],
    ['Instagram refused to link the account.', { course: 'not_linked', waits_s: [] }],
    [REASONS.interrupted.message, { course: 'is_asked', waits_s: [] }],
    [FINDINGS.too_large.message, { course: 'not_taken' }],
    [FINDINGS.landscape.message, { course: 'warned' }],
  ])('%s', (message, expected) => {
    expect(entryOf(message)).toMatchObject(expected)
  })

  it('an unreachable platform is retried for about four hours before the post fails', () => {
    const entry = entryOf('TikTok could not be reached.')
    expect(entry).toMatchObject({ course: 'tries_again', gives_up: true })
    const hours = (entry?.waits_s ?? []).reduce((sum, wait) => sum + wait, 0) / 3600
    expect(Math.round(hours)).toBe(4)
  })
})
