import { expect, test } from 'vitest'
import { PostId } from '#contract/ids.ts'
import { pauseText } from './resume-button.tsx'

const AT = '2026-12-01T09:00:00.000Z'

const RESULT = { paused: false, released: 0, missed_post_ids: [] }

test.each([
  [
    'a pause',
    { ...RESULT, paused: true },
    undefined,
    'Evenings is paused. Its posts wait until you resume it.',
  ],
  ['one that ends', { ...RESULT, paused: true }, AT, 'Evenings is paused. Its posts wait.'],
  ['its end', RESULT, undefined, 'Evenings is no longer paused.'],
  [
    'posts that go out, and one that missed its time on two accounts',
    { ...RESULT, released: 2, missed_post_ids: [PostId.parse(1)] },
    undefined,
    'Evenings is no longer paused. What was due meanwhile goes out now. 1 post missed its time.',
  ],
])('the notice names %s', (_what, result, until, text) =>
  expect(pauseText('Evenings', result, until)).toBe(text),
)
