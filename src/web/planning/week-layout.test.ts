import { expect, test } from 'vitest'
import { CHIP_PX, firstHour, layOut, minuteAt, SLOT_PX } from './week-layout.ts'

const at = (...times: string[]) =>
  times.map((time) => ({
    time,
    minute: Number(time.slice(0, 2)) * 60 + Number(time.slice(3)),
    height: CHIP_PX,
    isSlot: false,
  }))

const drawn = (...times: string[]) =>
  layOut(at(...times), 7).map(({ item, top, under }) => [item.time, top, under.length])

test('a chip is drawn at its time', () => {
  expect(drawn('08:00', '12:30')).toEqual([
    ['08:00', 48, 0],
    ['12:30', 264, 0],
  ])
})

test('of the chips at the same time two show, and the others stack', () => {
  expect(drawn('08:00', '08:00', '08:00', '08:00')).toEqual([
    ['08:00', 48, 0],
    ['08:00', 107, 2],
  ])
})

test('a chip that another covers is pushed below it, as long as it stays near its time', () => {
  expect(drawn('08:00', '08:15', '08:20')).toEqual([
    ['08:00', 48, 0],
    ['08:15', 107, 1],
  ])
  expect(drawn('08:00', '09:00')[1]).toEqual(['09:00', 107, 0])
})

test('free slots at the time of a post lie below it, and posts after them stay with it', () => {
  const slots = at('18:00', '18:00').map((slot) => ({ ...slot, height: SLOT_PX, isSlot: true }))
  const placed = layOut([...at('18:00'), ...slots, ...at('18:15')], 7)
  expect(placed.map(({ item, top, under }) => [item.isSlot, top, under.length])).toEqual([
    [false, 528, 1],
    [true, 587, 1],
  ])
  expect(layOut(slots, 7).map(({ top }) => top)).toEqual([528, 567])
})

test('a day of three hundred posts has as many chips as fit', () => {
  const times = Array.from({ length: 288 }, (_, i) => {
    const [hour, minute] = [Math.floor(i / 12), (i % 12) * 5]
    return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
  })
  const chips = layOut(at(...times), 0)
  expect(chips.length).toBeLessThan(25)
  expect(chips.reduce((sum, { under }) => sum + 1 + under.length, 0)).toBe(288)
})

test('a week begins an hour before its first post, and at seven at the latest', () => {
  expect(firstHour([])).toBe(7)
  expect(firstHour([12 * 60])).toBe(7)
  expect(firstHour([12 * 60, 5 * 60 + 30])).toBe(4)
  expect(firstHour([20])).toBe(0)
})

test('a height stands for the nearest quarter of an hour of its day', () => {
  expect(minuteAt(48, 7)).toBe(8 * 60)
  expect(minuteAt(53, 7)).toBe(8 * 60)
  expect(minuteAt(55, 7)).toBe(8 * 60 + 15)
  expect(minuteAt(-900, 7)).toBe(0)
  expect(minuteAt(9000, 7)).toBe(23 * 60 + 45)
})
