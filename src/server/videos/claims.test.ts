import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { claimsTooMuch } from './claims.ts'
import { readFacts } from './facts.ts'

const fixture = (name: string) => readFile(new URL(`../../../test/fixtures/${name}`, import.meta.url))
const bytesOf = (file: Uint8Array) => async (first: number, last: number) => file.subarray(first, last + 1)
const isTooMuch = (file: Uint8Array) => claimsTooMuch(bytesOf(file), file.length)

const u32 = (...numbers: number[]) => {
  const bytes = Buffer.alloc(4 * numbers.length)
  numbers.forEach((number, i) => bytes.writeUInt32BE(number, 4 * i))
  return bytes
}
const box = (type: string, ...content: Uint8Array[]) => {
  const body = Buffer.concat(content)
  return Buffer.concat([u32(8 + body.length), Buffer.from(type, 'latin1'), body])
}
const FTYP = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isom'))
const withTables = (...tables: Buffer[]) =>
  Buffer.concat([FTYP, box('moov', box('trak', box('mdia', box('minf', box('stbl', ...tables)))))])

describe('a file that claims more than its size can hold', () => {
  it.each<[string, Buffer]>([
    ['two thousand million samples in one run', withTables(box('stts', u32(0, 1, 0x7fff_ffff, 1)))],
    ['as many offsets of samples', withTables(box('ctts', u32(0, 1, 0x7fff_ffff, 1)))],
    ['two thousand million samples of one size', withTables(box('stsz', u32(0, 1, 0x7fff_ffff)))],
    ['a table of sizes that its box does not hold', withTables(box('stsz', u32(0, 0, 1000, 1, 2)))],
    ['a table of chunks that its box does not hold', withTables(box('stco', u32(0, 1000, 1)))],
    [
      'more times than samples',
      Buffer.concat([
        withTables(box('stts', u32(0, 1, 5000, 1)), box('stsz', u32(0, 5, 1))),
        Buffer.alloc(9_000),
      ]),
    ],
    [
      'two thousand million samples in a fragment',
      Buffer.concat([FTYP, box('moov'), box('moof', box('traf', box('trun', u32(0, 0x7fff_ffff))))]),
    ],
  ])('%s is found out without the parser', async (_what, file) => {
    expect(await isTooMuch(file)).toBe(true)
    expect(await readFacts(bytesOf(file), file.length)).toMatchObject({ container: 'unknown' })
  })
})

// The bytes from a table's name to a cut within its first entries.
it.each([
  ['stts', 15],
  ['stsc', 15],
  ['stsz', 17],
  ['stco', 15],
])('a file cut short within its %s table is found out', async (table, bytes) => {
  const good = await fixture('moov-last.mp4')
  expect(await isTooMuch(good.subarray(0, good.indexOf(table) + bytes))).toBe(true)
})

describe('a file that claims nothing unusual', () => {
  it.each(['good.mp4', 'moov-last.mp4', 'rotated.mov', 'short.mp4', 'vp9.webm'])(
    '%s goes to the parser',
    async (name) => {
      expect(await isTooMuch(await fixture(name))).toBe(false)
    },
  )

  it('a file cut short before its tables goes to the parser', async () => {
    const good = await fixture('moov-last.mp4')
    const lengths = Array.from({ length: good.indexOf('stbl') }, (_, i) => i + 1)
    for (const length of lengths.filter((one) => one < 200 || one > good.indexOf('moov') - 200))
      expect(await isTooMuch(good.subarray(0, length))).toBe(false)
  })

  it('a file without its beginning goes to the parser', async () => {
    const good = await fixture('moov-last.mp4')
    for (let left = 1; left < 200; left++)
      expect(await isTooMuch(good.subarray(good.length - left))).toBe(false)
  })

  it('boxes without end cost a bounded number of reads', async () => {
    const file = Buffer.concat([FTYP, ...Array.from({ length: 20_000 }, () => box('free'))])
    let reads = 0
    await claimsTooMuch(async (first, last) => {
      reads += 1
      return file.subarray(first, last + 1)
    }, file.length)
    expect(reads).toBeLessThan(1_000)
  })
})
