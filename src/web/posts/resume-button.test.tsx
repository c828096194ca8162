import { expect, test } from 'vitest'
import { pauseText } from './resume-button.tsx'

test.each([
  [
    'a pause',
    { paused: true, released: 0, missed: 0 },
    'Evenings is paused. Its posts wait until you resume it.',
  ],
  ['its end', { paused: false, released: 0, missed: 0 }, 'Evenings is no longer paused.'],
  [
    'posts that go out',
    { paused: false, released: 2, missed: 0 },
    'Evenings is no longer paused. 2 posts go out now.',
  ],
  [
    'a post that missed its time',
    { paused: false, released: 1, missed: 1 },
    'Evenings is no longer paused. 1 post goes out now. 1 post missed its time.',
  ],
])('the notice names %s', (_what, result, text) => expect(pauseText('Evenings', result)).toBe(text))
