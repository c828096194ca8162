import { expect, test } from 'vitest'
import { cutText, findBrokenText, firstLetter } from './well-formed.ts'

test.each([
  ['NUL', { a: 'x\0' }, ['a']],
  ['half an emoji', { a: [{ text: 'x' }, { text: '\ud83c' }] }, ['a', '1', 'text']],
  ['a character that a decoder has lost', ['Cr\ufffdme'], ['0']],
  ['a name of a field', { a: { 'x\udc00': 1 } }, ['a']],
  ['nothing in whole text', { a: 'Crème 👩‍🍳 می‌خواهم\n', b: [1, null, true] }, null],
])('%s is found', (_what, value, path) => {
  expect(findBrokenText(value)).toEqual(path)
})

test('a value that nests too deeply is refused before the stack ends', () => {
  expect(() => findBrokenText(JSON.parse(`${'['.repeat(9000)}"x"${']'.repeat(9000)}`))).toThrow(RangeError)
})

test('a cut text never ends in half an emoji', () => {
  expect([cutText('ab🍋', 3), cutText('ab🍋', 4), cutText('ab', 9)]).toEqual(['ab', 'ab🍋', 'ab'])
})

test('the first letter is what its reader takes for one', () => {
  expect([firstLetter('👩‍🍳 kitchen'), firstLetter('é'), firstLetter('')]).toEqual(['👩‍🍳', 'é', ''])
})
