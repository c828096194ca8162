import { expect, it } from 'vitest'
import { playUpload } from './play-upload.ts'

it('64 MB sent across five kills of the server become one video with the same bytes', async () => {
  const played = await playUpload({ bytes: 64_000_000, kills: 5, seed: 1 })
  expect(played.broken).toEqual([])
  expect(played.offsets).toHaveLength(6)
  // Kills before the first byte would prove nothing.
  expect(new Set(played.offsets).size).toBeGreaterThan(2)
})
