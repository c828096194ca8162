import { expect, test } from 'vitest'
import { languageOf } from './languages.ts'

test.each([
  [null, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT', 'de'],
  ['fr_CA', 'fr'],
  ['pl', 'en'],
  ['pl, es;q=0.7, de;q=0.9', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr;q=0, es', 'es'],
  ['*', 'en'],
  ['de;q=nonsense', 'de'],
])('who asks for %s is written to in %s', (wanted, language) => {
  expect(languageOf(wanted)).toBe(language)
})
