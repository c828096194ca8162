import { expect, it } from 'vitest'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'
import { GOOD_FACTS } from '#domain/testing/good-facts.ts'
import { LIMITS } from './limits.ts'

/** The check of a video refuses these, by the row of the table that forbids them. */
const REFUSED: Record<string, { size?: number; facts: Partial<VideoFacts> }[]> = {
  'File type': [{ facts: { container: 'ogg' } }],
  Size: [{ size: 5_000_000_000, facts: {} }],
  Length: [{ facts: { duration_s: 0.5 } }, { facts: { duration_s: 90_000 } }],
  'Video format': [{ facts: { video_codec: 'mpeg2' } }],
  Resolution: [
    { facts: { width: 100, height: 100 } },
    { facts: { width: 9000 } },
    { facts: { height: 20_000 } },
  ],
  'Frame rate': [{ facts: { fps: 10 } }, { facts: { fps: 120 } }, { facts: { fps: 200 } }],
  Audio: [{ facts: { audio_codec: 'ac3' } }],
}

for (const platform of PLATFORM_IDS)
  it(`the table for ${platform} shows the figures that the video check enforces`, () => {
    expect(checkVideo(GOOD_FACTS, 1_000_000, platform)).toEqual([])
    let said = 0
    for (const [name, tries] of Object.entries(REFUSED)) {
      const cell = LIMITS.find((row) => row.name === name)?.of(PLATFORM_LIMITS[platform]) ?? ''
      for (const { size = 1_000_000, facts } of tries)
        for (const { level, message } of checkVideo({ ...GOOD_FACTS, ...facts }, size, platform)) {
          if (level === 'warning') continue
          const rule = message.split(`${PLATFORM_NAMES[platform]} accepts `)[1] ?? ''
          const figures = rule.match(/\d+(?: (?:GB|MB|seconds?|minutes?))?|[A-Z][\w.]*\w/g) ?? []
          expect(figures, message).not.toEqual([])
          for (const figure of figures) expect(cell, `${name}: ${message}`).toContain(figure)
          said += 1
        }
    }
    expect(said).toBeGreaterThanOrEqual(7)
  })

const row = (name: string) =>
  PLATFORM_IDS.map((platform) => LIMITS.find((of) => of.name === name)?.of(PLATFORM_LIMITS[platform]))

it('the table names no larger file than the server stores', () => {
  expect(row('Size')).toEqual(['up to 4 GB', 'up to 300 MB', 'up to 4 GB, the largest that Reelay stores'])
})

it('the table also covers fast start and the caption', () => {
  expect(row('Web optimised')).toEqual([
    'not needed',
    'recommended: turn on “fast start” when you export',
    'not needed',
  ])
  expect(row('Caption')).toEqual([
    'up to 2200 characters',
    'up to 2200 characters, 30 hashtags, 20 mentions',
    'up to 5000 bytes, no < or >',
  ])
})
