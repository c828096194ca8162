import { expect, it } from 'vitest'
import { countTurns } from '#test/support/count-turns.ts'
import { checkLines } from './check-lines.ts'

it('others are served between the lines of a large file', async () => {
  const lines = Array.from({ length: 100 }, (_, i) => ({
    line: i + 2,
    cells: {
      caption: 'Bread',
      video: 'bread.mp4',
      accounts: 'tiktok:@nova',
      time: '2026-12-24 18:30',
      zone: '',
      spread: '',
    },
  }))
  const named = {
    accounts: [],
    sets: new Map(),
    zones: new Map<number, string>(),
    userZone: 'UTC',
    byName: new Map<string, number[]>(),
    videos: new Map(),
    now: 0,
  }
  const turns = countTurns()
  const { planned } = await checkLines({ tiktok: null, instagram: null, youtube: null }, named, lines)
  expect(turns.stop()).toBeGreaterThanOrEqual(lines.length / 2)
  expect(planned).toEqual([])
})
