import { describe, expect, test } from 'vitest'
import { indexAfterKey, layoutOf } from './grid-layout.ts'

describe('columns', () => {
  test.each([
    ['a small phone', 288, 2],
    ['a phone', 358, 2],
    ['a tablet', 696, 4],
    ['a small laptop', 1016, 6],
    ['a page of full width', 1180, 7],
    ['a page that is not laid out yet', 0, 2],
  ])('%s of %i px shows %i in a row', (_, width, columns) => {
    expect(layoutOf(width, 16).columns).toBe(columns)
  })

  test('a row is as high as an upright picture and the lines below it, at any text size', () => {
    expect(layoutOf(336, 16).rowPx).toBe(Math.ceil((160 * 16) / 9 + 88))
    expect(layoutOf(336, 32).rowPx).toBe(Math.ceil((160 * 16) / 9 + 176))
  })
})

describe('keys', () => {
  const grid = { columns: 4, count: 10 }
  const press = (index: number, key: string, ctrlKey = false) =>
    indexAfterKey(index, { key, ctrlKey, metaKey: false }, grid)

  test.each([
    ['ArrowRight', 3, 4],
    ['ArrowRight', 9, 9],
    ['ArrowLeft', 4, 3],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 1, 5],
    ['ArrowDown', 7, 9],
    ['ArrowDown', 8, 8],
    ['ArrowUp', 5, 1],
    ['ArrowUp', 1, 1],
    ['PageDown', 0, 8],
    ['PageUp', 9, 1],
    ['Home', 6, 4],
    ['End', 5, 7],
    ['End', 8, 9],
  ])('%s goes from card %i to card %i', (key, from, to) => {
    expect(press(from, key)).toBe(to)
  })

  test('Home and End with Control go to the first and the last card', () => {
    expect(press(6, 'Home', true)).toBe(0)
    expect(press(1, 'End', true)).toBe(9)
  })

  test('other keys move nothing', () => expect(press(1, 'a')).toBeNull())
})
