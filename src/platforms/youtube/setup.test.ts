import { expect, test } from 'vitest'
import { YOUTUBE_LIVE, type YouTubeConfig } from './api/config.ts'
import { checkYouTubeSetup } from './setup.ts'

const config: YouTubeConfig = {
  ...YOUTUBE_LIVE,
  clientId: '123-abc.apps.googleusercontent.com',
  clientSecret: 'GOCSPX-abcdefghijklmnopqrst',
  appPublished: true,
  appVerified: true,
}
const facts = { redirectUri: 'https://a.example/cb', accountsToday: 0, peopleLinked: 3 }

const found = (more: Partial<YouTubeConfig> = {}, about: Partial<typeof facts> = {}) =>
  checkYouTubeSetup({ ...config, ...more }, { ...facts, ...about }).map(
    ({ severity, sentence }) => `${severity}: ${sentence}`,
  )

test('a verified app with whole keys has nothing to be said of', () => {
  expect(found()).toEqual([])
  expect(found({}, { redirectUri: 'http://localhost:4400/cb' })).toEqual([])
})

test('a consent screen in Testing is warned of: its links end after seven days', () => {
  expect(found({ appPublished: false, appVerified: false })).toEqual([
    expect.stringMatching(/^warning: While the consent screen .* ends every link after seven days/),
  ])
})

test.each([
  [3, 'note'],
  [80, 'warning'],
])('an unverified app with %i people: a %s of the hundred that may link', (peopleLinked, severity) => {
  expect(found({ appVerified: false }, { peopleLinked })).toEqual([
    expect.stringMatching(new RegExp(`^${severity}: .* 100 at most .*linked now: ${peopleLinked}`)),
  ])
})

test('cut keys and an address that Google does not take are told', () => {
  expect(found({ clientId: '123', clientSecret: 'x' }, { redirectUri: 'http://a.example/cb' })).toEqual([
    expect.stringMatching(/^error: Google takes no redirect address/),
    expect.stringMatching(/^warning: YOUTUBE_CLIENT_ID/),
    expect.stringMatching(/^warning: YOUTUBE_CLIENT_SECRET/),
  ])
})
