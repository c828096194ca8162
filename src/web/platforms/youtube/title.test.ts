import { expect, test } from 'vitest'
import { YOUTUBE_TITLE_MAX_CHARS } from '#contract/platforms/youtube.ts'
import { proposeTitle } from './title.ts'

test("the title is the caption's first line that says something, as YouTube takes it", () => {
  expect(proposeTitle('Lemon tart\nStill warm')).toBe('Lemon tart')
  expect(proposeTitle('\n  <3  \n')).toBe('3')
  expect(proposeTitle('  <>\n  Lemon   tart ')).toBe('Lemon tart')
  expect(proposeTitle('')).toBe('')
})

test('a long line is cut between words, and never in the middle of an emoji', () => {
  const words = proposeTitle('lemon '.repeat(30))
  expect(words).toMatch(/lemon…$/)
  expect(words.length).toBeLessThanOrEqual(YOUTUBE_TITLE_MAX_CHARS)
  expect(proposeTitle('x'.repeat(101))).toBe(`${'x'.repeat(99)}…`)
  expect(proposeTitle(`x${'🥧'.repeat(60)}`)).toBe(`x${'🥧'.repeat(49)}…`)
  expect(proposeTitle(`${'x'.repeat(98)}🥧🥧`)).toBe(`${'x'.repeat(98)}…`)
})
