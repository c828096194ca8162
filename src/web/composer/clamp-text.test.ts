import { expect, test } from 'vitest'
import { clampText } from './clamp-text.ts'

/** As if each line had ten letters of the same width, and "… more" took six. */
const lines = (count: number) => (part: string, isWhole: boolean) =>
  part.length + (isWhole ? 0 : 6) <= count * 10

test('a text that fits is not clamped', () => {
  expect(clampText('Lemon tart', lines(1))).toBeNull()
  expect(clampText('', lines(1))).toBeNull()
})

test('a longer text ends where "more" still fits', () => {
  expect(clampText('Lemon tart, plated', lines(1))).toBe('Lemo')
  expect(clampText('Lemon tart, plated three ways', lines(2))).toBe('Lemon tart, pl')
})

test('no space and no full stop is left before "more"', () => {
  expect(clampText('Tart of the day', (part, isWhole) => !isWhole && part.length <= 5)).toBe('Tart')
  expect(clampText('One wins. Which?', (part, isWhole) => !isWhole && part.length <= 9)).toBe('One wins')
})

test('an emoji is not cut in half', () => {
  expect(clampText('🍋🍋🍋🍋', (part) => part.length <= 5)).toBe('🍋🍋')
})

test('where nothing fits, nothing is shown before "more"', () => {
  expect(clampText('Lemon', () => false)).toBe('')
})
