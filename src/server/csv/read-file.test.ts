import { describe, expect, it } from 'vitest'
import { IMPORT_CELLS_MAX, IMPORT_LINES_MAX } from '#contract/limits.ts'
import { readFile } from './read-file.ts'

const HEAD = 'caption,video,accounts,time'
const row = (n: number) => `Post ${n},a.mp4,1,2026-12-24 18:30`
const linesOf = (csv: string) =>
  readFile(csv).lines.map(({ line, cells }) => [line, cells.caption, cells.video, cells.time, cells.zone])
const errorsOf = (csv: string) => readFile(csv).errors.map(({ line, message }) => `${line}: ${message}`)

describe('a file of posts', () => {
  it.each([
    ['commas', `${HEAD}\n"Tart, warm",a.mp4,1,t`],
    ['semicolons', `caption;video;accounts;time\nTart, warm;a.mp4;1;t`],
    ['tabs', `caption\tvideo\taccounts\ttime\nTart, warm\ta.mp4\t1\tt`],
    ['a byte order mark and Windows line ends', `\ufeff${HEAD}\r\n"Tart, warm",a.mp4,1,t\r\n`],
    [
      'the line that tells Excel its separator',
      `\ufeffsep=;\r\n${HEAD.replaceAll(',', ';')}\r\nTart;a.mp4;1;t\r\n`,
    ],
    ['that line as a spreadsheet saves it', `"sep=,",,,\n${HEAD}\nTart,a.mp4,1,t`],
    ['a separator that only that line tells', `sep=|\n${HEAD.replaceAll(',', '|')}\nTart|a.mp4|1|t`],
    ['columns without a name or anything in them', `${HEAD},,\nTart,a.mp4,1,t,,\n,,,,,`],
    ['a nameless column in between', `,${HEAD}\n,Tart,a.mp4,1,t`],
    ['old Mac line ends', `${HEAD}\r"Tart, warm",a.mp4,1,t\r`],
    ['names in capitals and white space', ` Caption ,VIDEO,accounts , time\n "Tart, warm" ,a.mp4, 1 ,t `],
  ])('is read with %s', (_what, csv) => {
    expect(readFile(csv).errors).toEqual([])
    expect(readFile(csv).lines.map(({ cells }) => [cells.video, cells.accounts, cells.time])).toEqual([
      ['a.mp4', '1', 't'],
    ])
  })

  it('may name its columns in any order, and leave out the zone', () => {
    expect(linesOf('time,accounts,timezone,video,caption\nt,1,Asia/Tokyo,a.mp4,Hello')).toEqual([
      [2, 'Hello', 'a.mp4', 't', 'Asia/Tokyo'],
    ])
    expect(linesOf(`${HEAD}\nHello,a.mp4,1,t`)).toEqual([[2, 'Hello', 'a.mp4', 't', '']])
  })

  it('has captions with line breaks, quotes, apostrophes and emoji', () => {
    const csv = `${HEAD}\n"One\r\n\r\ntwo ""three""",a.mp4,1,t\n5" screen 🍋,b.mp4,1,t`
    expect(linesOf(csv).map(([, caption]) => caption)).toEqual(['One\n\ntwo "three"', '5" screen 🍋'])
  })

  it('tells where each post begins, whatever is before it', () => {
    expect(linesOf(`\n${HEAD}\n\n"a\nb",a.mp4,1,t\n,,,\nlast,a.mp4,1,t`).map(([line]) => line)).toEqual([
      4, 7,
    ])
  })

  it('may have empty cells between tabs', () => {
    expect(linesOf('caption\tvideo\taccounts\ttime\tzone\n\ta.mp4\t\tt\t')).toEqual([
      [2, '', 'a.mp4', 't', ''],
    ])
  })

  it('is refused where a line is longer than any post', () => {
    expect(errorsOf(`${HEAD}\n"${'x'.repeat(30_000)}`)).toEqual([
      '2: A quotation mark opens here and is never closed.',
    ])
  })

  it.each([
    ['', '1: This file is empty.'],
    ['\n\n', '1: This file is empty.'],
    [HEAD, '1: This file has no posts.'],
    [`caption,video\n`, '1: The first line must name the columns. accounts and time are missing.'],
    [
      `${HEAD},tiem\n${row(1)},x`,
      '1: The first line must name the columns: caption, video, accounts, time, zone and spread. “tiem” is not one of them.',
    ],
    ...['__proto__', 'constructor', 'toString'].map((name) => [
      `${HEAD},${name}\n${row(1)},x`,
      `1: The first line must name the columns: caption, video, accounts, time, zone and spread. “${name}” is not one of them.`,
    ]),
    [`${HEAD},time\n${row(1)}`, '1: Name each column once.'],
    [
      `${HEAD},\n${row(1)},see notes`,
      '2: There is something in column 5, which has no name in the first line.',
    ],
    [
      `${HEAD}\nTart, warm,a.mp4,1,t`,
      '2: This line has 5 cells, and there are 4 columns. Put a caption with commas in quotes.',
    ],
    [`${HEAD}\n${row(1)}\n"Open,a.mp4,1,t\n${row(2)}`, '3: A quotation mark opens here and is never closed.'],
  ])('is refused where it is %j', (csv, error) => {
    expect(errorsOf(csv)).toEqual([error])
  })

  it('may have so many posts and no more', () => {
    const many = Array.from({ length: IMPORT_LINES_MAX }, (_, i) => row(i))
    expect(linesOf([HEAD, ...many].join('\n\n'))).toHaveLength(IMPORT_LINES_MAX)
    expect(errorsOf([HEAD, ...many, row(0)].join('\n'))).toEqual([
      `${IMPORT_LINES_MAX + 2}: A file may have up to ${IMPORT_LINES_MAX} posts. Split it into several.`,
    ])
  })
  it.each([
    ['in one line', ','.repeat(IMPORT_CELLS_MAX)],
    ['in many lines', `${HEAD}\n${`${','.repeat(999)}\n`.repeat(60)}`],
    ['between semicolons', `caption;video;accounts;time\n${';'.repeat(IMPORT_CELLS_MAX)}`],
    ['behind a quote', `${HEAD}\n"${','.repeat(IMPORT_CELLS_MAX)}`],
  ])('has a bounded number of cells (%s)', (_where, csv) => {
    expect(errorsOf(csv)).toEqual([
      `1: A file may have up to ${IMPORT_CELLS_MAX} cells. Split it into several.`,
    ])
  })

  it('names a few of the columns that it does not know', () => {
    const [error = ''] = errorsOf(`${HEAD}${',x'.repeat(9000)}\n${row(1)}`)
    expect(error.match(/“x”/g)).toHaveLength(5)
  })
})
