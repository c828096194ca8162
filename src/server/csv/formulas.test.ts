import { describe, expect, it } from 'vitest'
import { readText, withoutFormulas } from './formulas.ts'

const TEXTS = [
  '=1+1',
  ' =1',
  '\t=1',
  '＠x',
  "'=1",
  "''=1",
  'x;=cmd()',
  'x; =cmd()',
  "x;'=cmd()",
  'x;;=1;+2',
  'x\n=1',
  'x\r\n-1',
  'x\t=1',
  'x;＝1',
  'x;"=1',
  'x; "" =1',
  "'\n=1",
]

describe('a cell of the export', () => {
  it.each(TEXTS)('begins no formula, however it is split (%j)', (text) => {
    const cells = withoutFormulas(text).split(/[;\t\r\n]/)
    expect(cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell))).toEqual([])
  })

  it.each([...TEXTS, "it's; fine", "Don't\n'quote'"])('is read as the text that it was (%j)', (text) => {
    expect(readText(withoutFormulas(text))).toBe(text)
  })

  it.each(['Tart, @nova', '5-3; 4', "it's", 'https://x.example/?a=1;b=2', "'quoted'"])(
    'stays as it is without a formula (%j)',
    (text) => {
      expect(withoutFormulas(text)).toBe(text)
      expect(readText(text)).toBe(text)
    },
  )
})
