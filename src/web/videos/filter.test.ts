import { expect, test } from 'vitest'
import { BrandId } from '#contract/ids.ts'
import { ALL_VIDEOS, filterOf, isFiltered, paramsOf } from './filter.ts'

const some = {
  search: 'lemon tart',
  tag: 'a & b',
  brandId: BrandId.parse(7),
  isUnused: true,
  from: '2026-11-01',
  to: null,
  sort: 'largest',
} as const

test('a filter is read back from its address', () => {
  expect(filterOf(new URLSearchParams(paramsOf(some).toString()))).toEqual(some)
  expect(filterOf(paramsOf(ALL_VIDEOS))).toEqual(ALL_VIDEOS)
})

test('all videos need no words in the address', () => expect(paramsOf(ALL_VIDEOS).toString()).toBe(''))

test('an address that names nothing known shows all videos, newest first', () => {
  expect(filterOf(new URLSearchParams('brand=none&use=often&from=soon&sort=random'))).toEqual(ALL_VIDEOS)
})

test('the order alone leaves no video out', () => {
  expect(isFiltered({ ...ALL_VIDEOS, sort: 'name' })).toBe(false)
  expect(isFiltered({ ...ALL_VIDEOS, search: ' ' })).toBe(false)
  expect(isFiltered({ ...ALL_VIDEOS, tag: 'tart' })).toBe(true)
  expect(isFiltered({ ...ALL_VIDEOS, to: '2026-11-30' })).toBe(true)
})
