import { expect, test } from 'vitest'
import { LATER_BY_A_DAY, type Move, parseMove } from './move-fields.tsx'

test.each<[Partial<Move>, ReturnType<typeof parseMove>]>([
  [{}, { by_minutes: 1440 }],
  [{ amount: '90', unit: 'minutes', direction: 'earlier' }, { by_minutes: -90 }],
  [{ amount: '2', unit: 'hours' }, { by_minutes: 120 }],
  [{ amount: '' }, null],
  [{ amount: '0' }, null],
  [{ amount: '1.5' }, null],
  [{ amount: '367' }, null],
  [{ how: 'at' }, null],
  [
    { how: 'at', local: '2026-12-24T18:30' },
    { publish_at: { local: '2026-12-24T18:30', timezone: 'Europe/Lisbon' } },
  ],
  [
    { how: 'at', local: '2026-12-24T18:30', apart: '15' },
    { publish_at: { local: '2026-12-24T18:30', timezone: 'Europe/Lisbon' }, apart_minutes: 15 },
  ],
  [{ how: 'slots' }, { next_slots: true }],
])('a move of %j is %j', (typed, said) => {
  expect(parseMove({ ...LATER_BY_A_DAY, ...typed }, 'Europe/Lisbon')).toEqual(said)
})
