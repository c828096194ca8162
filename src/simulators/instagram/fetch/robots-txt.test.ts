import { expect, test } from 'vitest'
import { isAllowed } from './robots-txt.ts'

const crawler = 'facebookexternalhit/1.1 (+http://x)'

test.each([
  ['an empty file allows', '', '/a', true],
  ['the group of all', 'User-agent: *\nDisallow: /', '/a', false],
  [
    'a named group hides the group of all',
    'User-agent: *\nDisallow: /\nUser-agent: facebookexternalhit\nAllow: /m/',
    '/x',
    true,
  ],
  ['the longest rule wins', 'User-agent: *\nDisallow: /\nAllow: /media/', '/media/1.mp4', true],
  ['an empty Disallow allows', 'User-agent: *\nDisallow:', '/a', true],
  ['wildcards and ends', 'User-agent: *\nDisallow: /*.mp4$', '/m/a.mp4', false],
  [
    'two agents share a group',
    'User-agent: a\nUser-agent: FacebookExternalHit # them\nDisallow: /',
    '/a',
    false,
  ],
])('%s', (_name, robots, path, allowed) => {
  expect(isAllowed(robots, crawler, path)).toBe(allowed)
})
