import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findFaults, hasTest, tableRows, type TestServer } from './spec-table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const repository: TestServer = {
  has: (file) => existsSync(path.join(root, file)),
  read: (file) => (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : null),
}
const table = readFileSync(path.join(root, 'docs/spec.md'), 'utf8')

describe('docs/spec.md', () => {
  it('names for every statement a verdict, a place and a test that exists', () => {
    expect(findFaults(table, repository)).toEqual([])
  })

  it('has rows for all nine sections of the specification', () => {
    const sections = tableRows(table).map(([number = '']) => /^\d+(?=\.)/.exec(number)?.[0])
    expect(new Set(sections.filter((section) => section !== undefined))).toEqual(
      new Set(['1', '2', '3', '4', '5', '6', '7', '8', '9']),
    )
  })
})

const SMALL = `
| # | The specification | Reelay | Why | Shown by |
|---|---|---|---|---|
| R1 | one | another | because | \`a.test.ts\` :: \`one is another\` |

| # | Statement | Verdict | Lives in | Shown by |
|---|---|---|---|---|
| 1.1 | one | kept | \`src/a.ts\` | \`a.test.ts\` :: \`one is one\` |
| 1.2 | two | mended R1 | \`src/a.ts\`, \`src/b.ts\` | \`a.test.ts\` :: \`one is one\`<br>\`a.test.ts\` :: \`a hen lays eggs\` |
`
const FARM: TestServer = {
  has: (file) => ['src/a.ts', 'src/b.ts'].includes(file),
  read: (file) =>
    file === 'a.test.ts'
      ? "test('one is one', () => {})\nit('one is another', () => {})\nfor (const animal of ['hen', 'cow']) test(`a ${animal} lays eggs`, () => {})\ntest.skip('pigs can fly', () => {})\n"
      : null,
}

describe('the table refuses', () => {
  it('nothing in one that is sound', () => expect(findFaults(SMALL, FARM)).toEqual([]))

  it.each([
    [
      'a test that does not exist',
      '`one is one` |\n',
      '`one is two` |\n',
      '1.1: a.test.ts has no test "one is two"',
    ],
    [
      'a name that the table of a test does not have',
      '`a hen lays eggs`',
      '`a bull lays eggs`',
      '1.2: a.test.ts has no test "a bull lays eggs"',
    ],
    [
      'a test that is skipped',
      '`a hen lays eggs`',
      '`pigs can fly`',
      '1.2: a.test.ts has no test "pigs can fly"',
    ],
    [
      'a file that does not exist',
      '`a.test.ts` :: `one is another`',
      '`b.test.ts` :: `one is another`',
      'R1: there is no file b.test.ts',
    ],
    ['a row without a test', '`a.test.ts` :: `one is one` |\n', ' |\n', '1.1: "" names no test'],
    ['a verdict that is none', '| kept |', '| fine |', '1.1: "fine" is no verdict'],
    ['a ruling that is none', '| mended R1 |', '| mended R1, R2 |', '1.2: there is no ruling R2'],
    ['a place that does not exist', '`src/b.ts`', '`src/c.ts`', '1.2: lives in src/c.ts, which is not there'],
    ['a row without a place', '| `src/a.ts` |', '| |', '1.1: does not say where it lives'],
  ])('%s', (_what, from, to, says) => {
    const planted = SMALL.replace(from, to)
    expect(planted).not.toBe(SMALL)
    expect(findFaults(planted, FARM)).toContain(says)
  })
})

describe('the titles of tests', () => {
  it('are found however a test is written', () => {
    expect(hasTest("test('it is so', () => {})", 'it is so')).toBe(true)
    expect(hasTest("  it(\n    'it\\'s so',\n    () => {})", "it's so")).toBe(true)
    expect(hasTest("it.each([\n  ['a'],\n] as const)('%s is a letter', () => {})", 'a is a letter')).toBe(
      true,
    )
    expect(hasTest("test.each([0, 1])('%d is a figure', () => {})", '0 is a figure')).toBe(true)
    expect(hasTest("const who = 'anybody'\ntest(`what ${who} sees`, () => {})", 'what anybody sees')).toBe(
      true,
    )
    expect(hasTest("test.each([5_242_880])('%d is a size', () => {})", '5242880 is a size')).toBe(true)
  })

  it('are not found with what their table does not have', () => {
    expect(hasTest("it.each([\n  ['a'],\n])('%s is a letter', () => {})", 'b is a letter')).toBe(false)
    expect(hasTest('test(`what ${who} sees`, () => {})', 'what nobody sees')).toBe(false)
  })

  it('are not found where no test stands', () => {
    expect(hasTest("test.describe('it is so', () => {})", 'it is so')).toBe(false)
    expect(hasTest("await test.step('it is so', () => {})", 'it is so')).toBe(false)
    expect(hasTest("expect(call('it is so'))", 'it is so')).toBe(false)
    expect(hasTest('test(`${one} ${other}`, () => {})', 'whatever you like')).toBe(false)
  })
})
