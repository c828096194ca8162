import { expect, test } from 'vitest'
import { shareReads } from './share-reads.ts'

function manual() {
  const begun: { key: string; end: PromiseWithResolvers<string> }[] = []
  const read = shareReads((_from: object, key: string) => {
    const end = Promise.withResolvers<string>()
    begun.push({ key, end })
    return end.promise
  })
  return { read, begun }
}
const database = {}

test('who asks while a read runs is answered by one that began afterwards', async () => {
  const { read, begun } = manual()
  const first = read(database, 'ada')
  const late = [read(database, 'ada'), read(database, 'ada')]
  expect(begun).toHaveLength(1)
  begun[0]?.end.resolve('valid')
  expect(await first).toBe('valid')
  await expect.poll(() => begun.length).toBe(2)
  const later = read(database, 'ada')
  begun[1]?.end.resolve('revoked')
  expect(await Promise.all(late)).toEqual(['revoked', 'revoked'])
  await expect.poll(() => begun.length).toBe(3)
  begun[2]?.end.resolve('gone')
  expect(await later).toBe('gone')
})

test('another key and another database are read at once', () => {
  const { read, begun } = manual()
  void read(database, 'ada')
  void read(database, 'bea')
  void read({}, 'ada')
  expect(begun.map(({ key }) => key)).toEqual(['ada', 'bea', 'ada'])
})

test('a read that fails fails those who share it, and no later one', async () => {
  const { read, begun } = manual()
  const first = read(database, 'ada')
  const second = read(database, 'ada')
  begun[0]?.end.reject(new Error('cut'))
  await expect(first).rejects.toThrow('cut')
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.end.resolve('valid')
  expect(await second).toBe('valid')
  const third = read(database, 'ada')
  begun[2]?.end.resolve('still')
  expect(await third).toBe('still')
})
