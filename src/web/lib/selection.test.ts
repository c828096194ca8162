import { expect, test } from 'vitest'
import { selectionBy, type Selection } from './selection.ts'

type Item = { readonly id: number; readonly name: string }
const list: Item[] = Array.from({ length: 13 }, (_, index) => ({ id: index + 1, name: 'old' }))
const at = (id: number): Item => list[id - 1] ?? expect.unreachable()
const { nothing, all, toggle, extend, endRange, deselect, withChanged } = selectionBy(
  ({ id }: Item) => id,
  10,
)
const idsIn = ({ items }: Selection<number, Item>) => [...items.keys()]

test('an item is selected, and selected again is deselected', () => {
  const two = toggle(toggle(nothing, at(3)), at(1))
  expect(idsIn(two)).toEqual([3, 1])
  expect(idsIn(toggle(two, at(3)))).toEqual([1])
})

test('a range goes from the item that was selected last, in both directions', () => {
  const one = toggle(nothing, at(4))
  expect(idsIn(extend(one, list, at(6)))).toEqual([4, 5, 6])
  expect(idsIn(extend(one, list, at(2)))).toEqual([4, 2, 3])
})

test('without a beginning a range toggles its end', () => {
  expect(idsIn(extend(nothing, list, at(2)))).toEqual([2])
})

test('a range that shrinks lets go of what it had, but not of what was selected before', () => {
  const before = toggle(toggle(nothing, at(6)), at(2))
  const long = extend(before, list, at(4))
  expect(idsIn(long)).toEqual([6, 2, 3, 4])
  expect(idsIn(extend(long, list, at(3), at(4)))).toEqual([6, 2, 3])
})

test('after a move without Shift a range begins where the focus is', () => {
  const moved = endRange(toggle(nothing, at(1)))
  expect(idsIn(extend(moved, list, at(6), at(5)))).toEqual([1, 5, 6])
})

test('a range begins anew where its first item is no longer listed', () => {
  const later = extend(toggle(nothing, at(1)), list.slice(9), at(12), at(11))
  expect(idsIn(later)).toEqual([1, 11, 12])
})

test('no more items are selected than the limit', () => {
  const most = extend(toggle(nothing, at(1)), list, at(13))
  expect(most.items.size).toBe(10)
  expect(toggle(most, at(13)).items.size).toBe(10)
  expect(all(list).items.size).toBe(10)
})

test('items that an action is done with are deselected, changed ones are shown as they are', () => {
  const two = toggle(toggle(nothing, at(1)), at(2))
  expect(idsIn(deselect(two, new Set([1])))).toEqual([2])
  const renamed = { ...at(2), name: 'new' }
  const unselected = { ...at(3), name: 'other' }
  expect([...withChanged(two, [renamed, unselected]).items.values()]).toEqual([at(1), renamed])
})
