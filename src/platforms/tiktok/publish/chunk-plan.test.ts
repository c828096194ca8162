import { expect, test } from 'vitest'
import { chunkPlan, chunkRange, nextChunk } from './chunk-plan.ts'
import type { ChunkPlan } from './chunk-plan.ts'

const planned = (size: number): ChunkPlan => {
  const plan = chunkPlan(size)
  if (plan === null) throw new Error(`no plan for ${size}`)
  return plan
}

test.each([
  [1, 1, 1, 'bytes 0-0/1'],
  [4_194_304, 4_194_304, 1, 'bytes 0-4194303/4194304'],
  [5_242_880, 5_242_880, 1, 'bytes 0-5242879/5242880'],
  [5_242_881, 5_242_881, 1, 'bytes 0-5242880/5242881'],
  [10_485_760, 10_485_760, 1, 'bytes 0-10485759/10485760'],
  [12_000_000, 12_000_000, 1, 'bytes 0-11999999/12000000'],
  [50_000_123, 50_000_123, 1, 'bytes 0-50000122/50000123'],
  [64_000_000, 64_000_000, 1, 'bytes 0-63999999/64000000'],
  [64_000_001, 10_000_000, 6, 'bytes 50000000-64000000/64000001'],
  [67_108_864, 10_000_000, 6, 'bytes 50000000-67108863/67108864'],
  [75_000_000, 10_000_000, 7, 'bytes 60000000-74999999/75000000'],
  [104_857_600, 10_000_000, 10, 'bytes 90000000-104857599/104857600'],
  [1_000_000_000, 10_000_000, 100, 'bytes 990000000-999999999/1000000000'],
  [1_073_741_824, 10_000_000, 107, 'bytes 1060000000-1073741823/1073741824'],
  [4_000_000_000, 10_000_000, 400, 'bytes 3990000000-3999999999/4000000000'],
  [4_294_967_296, 10_000_000, 429, 'bytes 4280000000-4294967295/4294967296'],
])('%i bytes go in chunks of %i, %i of them', (size, chunkSize, count, lastRange) => {
  const plan = planned(size)
  expect(plan).toEqual({ size, chunkSize, count })
  const { first, last } = chunkRange(plan, count - 1)
  expect(`bytes ${first}-${last}/${size}`).toBe(lastRange)
})

test.each([0, -1, 1.5, Number.NaN, 4_294_967_297])('%d bytes have no plan', (size) => {
  expect(chunkPlan(size)).toBeNull()
})

test('75,000,000 bytes are six chunks of 10,000,000 and a last one of 15,000,000', () => {
  const plan = planned(75_000_000)
  const lengths = Array.from({ length: plan.count }, (_, index) => {
    const { first, last } = chunkRange(plan, index)
    return last - first + 1
  })
  expect(lengths).toEqual([...Array.from({ length: 6 }, () => 10_000_000), 15_000_000])
})

test('chunks have no gaps, and only a single chunk is as large as the video', () => {
  for (const size of [64_000_001, 69_999_999, 70_000_000, 128_000_000, 999_999_999, 4_294_967_296]) {
    const plan = planned(size)
    let next = 0
    for (let index = 0; index < plan.count; index += 1) {
      const { first, last } = chunkRange(plan, index)
      expect(first).toBe(next)
      next = last + 1
    }
    expect(next).toBe(size)
    expect(plan.count === 1).toBe(plan.chunkSize === size)
  }
})

test('sending resumes with the first incomplete chunk', () => {
  const plan = planned(75_000_000)
  expect(nextChunk(plan, 0)).toBe(0)
  expect(nextChunk(plan, 9_999_998)).toBe(0)
  expect(nextChunk(plan, 10_000_000)).toBe(1)
  expect(nextChunk(plan, 60_000_000)).toBe(6)
  expect(nextChunk(plan, 74_999_998)).toBe(6)
  expect(nextChunk(plan, 75_000_000)).toBe(7)
})

test('a position of the last byte is read as a count', () => {
  const plan = planned(75_000_000)
  expect(nextChunk(plan, 9_999_999)).toBe(1)
  expect(nextChunk(plan, 59_999_999)).toBe(6)
  expect(nextChunk(plan, 74_999_999)).toBe(7)
})
