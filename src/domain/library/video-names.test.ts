import { expect, test } from 'vitest'
import { extensionOf, tagKey } from './video-names.ts'

test.each([
  ['tart.mp4', '.mp4'],
  ['tart.final.MOV', '.MOV'],
  ['a tart', ''],
  ['Tart vol. 2', ''],
  ['tart.', ''],
  ['tart.unfinished', ''],
])('the extension of %s is %j', (filename, extension) => expect(extensionOf(filename)).toBe(extension))

test('tags that differ in case or in the width of letters have one key', () => {
  expect(tagKey('TART')).toBe(tagKey('tart'))
  expect(tagKey('\uff54art')).toBe(tagKey('tart'))
  expect(tagKey('tarts')).not.toBe(tagKey('tart'))
})
