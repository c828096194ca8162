import { expect, test } from 'vitest'
import { pauseText } from './resume-button.tsx'

const AT = '2026-12-01T09:00:00.000Z'

const RESULT = { paused: false, released: 0 }

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
    'posts that go out',
    { ...RESULT, released: 2 },
    undefined,
    'Evenings is no longer paused. What was due meanwhile goes out now.',
  ],
])('the notice names %s', (_what, result, until, text) =>
  expect(pauseText('Evenings', result, until)).toBe(text),
)
