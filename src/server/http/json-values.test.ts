import { expect, test } from 'vitest'
import { JSON_MAX_VALUES } from '#contract/limits.ts'
import { hasTooManyValues } from './json-values.ts'

const MANY = JSON_MAX_VALUES + 1

test.each([
  ['empty lists', `[${'[],'.repeat(MANY)}[]]`],
  ['nested lists', '['.repeat(MANY)],
  ['objects', `[${'{},'.repeat(MANY)}{}]`],
  ['fields', `{${'"a":1,'.repeat(MANY)}"b":1}`],
  ['texts with quotes', `[${String.raw`"\"",`.repeat(MANY)}""]`],
  ['texts that end in a backslash', `[${String.raw`"\\",`.repeat(MANY)}""]`],
])('a body has too many %s', (_what, json) => {
  expect(hasTooManyValues(json, JSON_MAX_VALUES)).toBe(true)
})

test.each([
  ['commas and brackets in a text', JSON.stringify({ csv: ',[{'.repeat(MANY) })],
  ['quotes and backslashes in a text', JSON.stringify({ csv: String.raw`\",`.repeat(MANY) })],
  ['as many values as are taken', JSON.stringify(Array.from({ length: JSON_MAX_VALUES - 2 }, (_, i) => i))],
])('a body may have %s', (_what, json) => {
  expect(hasTooManyValues(json, JSON_MAX_VALUES)).toBe(false)
})
