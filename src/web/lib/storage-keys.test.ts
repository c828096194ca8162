import { expect, test } from 'vitest'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { oauthStateKey, STORAGE_KEYS } from './storage-keys.ts'

test('the local storage keys are those of the specification', () => {
  const keys = [...Object.values(STORAGE_KEYS), ...PLATFORM_IDS.map(oauthStateKey)]
  expect(keys.toSorted()).toEqual(
    [
      'userData',
      'darkMode',
      'tiktok_oauth_state',
      'instagram_oauth_state',
      'brand_id',
      // A platform that the specification does not know has a key like the others.
      'youtube_oauth_state',
    ].toSorted(),
  )
})
