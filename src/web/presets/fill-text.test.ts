import { expect, test } from 'vitest'
import { fillText, slashAt } from './fill-text.ts'

test('a saved text is filled with the names of an account and its brand, and nothing else', () => {
  const names = { account: '@nova', brand: 'Nova & $& Co' }
  expect(fillText('{brand}: {account}, {account} {other} {}', names)).toBe(
    'Nova & $& Co: @nova, @nova {other} {}',
  )
})

test.each([
  ['/', ''],
  ['Bread /sig', 'sig'],
  ['Bread\n/sig', 'sig'],
  ['Bread /Größe', 'Größe'],
  ['and/or', null],
  ['https://', null],
  ['1/2 /', ''],
  ['/sig ', null],
  ['//', null],
])('of “%s” the name of a text is %s', (text, typed) => {
  expect(slashAt(text, text.length)).toBe(typed)
})
