import { expect, test } from 'vitest'
import { VIDEOS_AT_ONCE_MAX } from '#contract/limits.ts'
import { Video } from '#contract/videos.ts'
import { video } from '#web/testing/data.ts'
import { endRange, extend, NOTHING, toggle, withChanged, deselect, type Selection } from './selection.ts'

const list = Array.from({ length: 130 }, (_, at) => Video.parse(video({ video_id: at + 1 })))
const at = (id: number): Video => {
  const found = list[id - 1]
  if (!found) throw new Error(`there is no video ${id}`)
  return found
}
const idsIn = ({ videos }: Selection) => [...videos.keys()]
const to = (selection: Selection, from: number, end: number) => extend(selection, list, at(from), at(end))

test('a video is selected, and selected again is deselected', () => {
  const one = toggle(NOTHING, at(3))
  expect(idsIn(one)).toEqual([3])
  expect(idsIn(toggle(one, at(3)))).toEqual([])
})

test('a range goes from the video that was selected last, in both directions', () => {
  const one = toggle(NOTHING, at(5))
  expect(idsIn(to(one, 5, 7))).toEqual([5, 6, 7])
  expect(idsIn(to(one, 5, 3)).toSorted((a, b) => a - b)).toEqual([3, 4, 5])
})

test('a range that shrinks lets go of what it had, but not of what was selected before', () => {
  const before = toggle(toggle(NOTHING, at(6)), at(2))
  const long = to(before, 2, 4)
  expect(idsIn(long)).toEqual([6, 2, 3, 4])
  expect(idsIn(to(long, 4, 3))).toEqual([6, 2, 3])
})

test('after a move without Shift a range begins where the focus is', () => {
  const moved = endRange(toggle(NOTHING, at(1)))
  expect(idsIn(to(moved, 5, 6))).toEqual([1, 5, 6])
})

test('a range begins anew where its first video is no longer listed', () => {
  const one = toggle(NOTHING, at(1))
  const later = extend(one, list.slice(10), at(12), at(13))
  expect(idsIn(later)).toEqual([1, 12, 13])
})

test('no more videos are selected than one call takes', () => {
  expect(to(NOTHING, 1, 130).videos.size).toBe(VIDEOS_AT_ONCE_MAX)
})

test('deleted videos are deselected, changed ones are shown as they are', () => {
  const two = toggle(toggle(NOTHING, at(1)), at(2))
  expect(idsIn(deselect(two, new Set([at(1).video_id])))).toEqual([2])
  const renamed = { ...at(2), filename: 'new.mp4' }
  const unselected = { ...at(3), filename: 'other.mp4' }
  expect([...withChanged(two, [renamed, unselected]).videos.values()]).toEqual([at(1), renamed])
})
