import { expect, test } from 'vitest'
import { slotsText, withoutSlot, withSlots } from './slots.ts'

const at = (weekday: number, time: string, platforms: 'tiktok'[] | null = null) => ({
  weekday,
  time,
  platforms,
})

test('slots are in the order of the week, and none is there twice', () => {
  const slots = withSlots([at(4, '18:00'), at(2, '18:00', ['tiktok'])], {
    weekdays: [1, 2],
    time: '18:00',
    platforms: null,
  })
  expect(slots).toEqual([at(1, '18:00'), at(2, '18:00'), at(4, '18:00')])
  expect(withSlots(slots, { weekdays: [4], time: '09:00', platforms: null })[2]).toEqual(at(4, '09:00'))
  expect(withoutSlot(slots, at(2, '18:00'))).toEqual([at(1, '18:00'), at(4, '18:00')])
})

test.each([
  [
    'days with the same time together',
    [at(2, '18:00'), at(4, '18:00'), at(6, '10:00')],
    'Tue, Thu 18:00 · Sat 10:00',
  ],
  ['the platforms of a slot', [at(6, '10:00', ['tiktok'])], 'Sat 10:00 (TikTok)'],
  ['working days', [1, 2, 3, 4, 5].map((day) => at(day, '09:00')), 'Mon–Fri 09:00'],
  ['a whole week', [1, 2, 3, 4, 5, 6, 7].map((day) => at(day, '09:00')), 'Every day 09:00'],
  ['nothing', [], ''],
])('a schedule names %s', (_what, slots, text) => expect(slotsText(slots)).toBe(text))
