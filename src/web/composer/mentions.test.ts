import { expect, test } from 'vitest'
import { mentionAt, suggestMentions } from './mentions.ts'

test.each([
  ['with @caf', 'caf'],
  ['@', ''],
  ['(@nord.', 'nord.'],
  ['mail me at ada@caf', null],
  ['with @cafe luna', null],
  ['no mention', null],
])('in %j, %j is being typed', (text, typed) => {
  expect(mentionAt(`${text} and more`, text.length)).toBe(typed)
})

test('own accounts come first, then who was mentioned lately, each once', () => {
  const captions = ['Thanks @Cafe.Nord.', 'ada@cafe.test and @cafe.luna', '@cafe.nord again, @baker']
  expect(suggestMentions('ca', ['@cafe.luna', '@atlas'], captions)).toEqual(['@cafe.luna', '@Cafe.Nord'])
  expect(suggestMentions('cafe.luna', ['@cafe.luna'], captions)).toEqual([])
  expect(suggestMentions('', ['@a', '@b', '@c'], captions)).toHaveLength(6)
})
