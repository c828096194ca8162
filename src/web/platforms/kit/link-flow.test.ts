import { expect, test } from 'vitest'
import { BrandId } from '#contract/ids.ts'
import { readReturn } from './link-flow.ts'

const stored = { state: 'abc', brandId: BrandId.parse(3) }
const from = (query: string) => readReturn(new URLSearchParams(query), stored)

test('a code with the stored state finishes the link for the stored brand', () => {
  expect(from('code=xyz&state=abc')).toEqual({ kind: 'finish', code: 'xyz', state: 'abc', brandId: 3 })
})

test('a code with another state or none is not used', () => {
  expect(from('code=xyz&state=abd')).toEqual({ kind: 'mismatch' })
  expect(from('code=xyz')).toEqual({ kind: 'mismatch' })
  expect(readReturn(new URLSearchParams('code=xyz&state=abc'), { state: null, brandId: null })).toEqual({
    kind: 'mismatch',
  })
})

test('an address without code and error is no answer', () => {
  expect(from('')).toEqual({ kind: 'nothing' })
})

test('access_denied means that the user declined', () => {
  expect(from('error=access_denied&error_description=x&state=abc')).toEqual({ kind: 'declined' })
})

test("a platform's refusal keeps its own words", () => {
  expect(
    from('error=access_denied&error_type=non_sandbox_target&error_description=Not+yours&state=abc'),
  ).toEqual({
    kind: 'refused',
    reason: 'Not yours (non_sandbox_target)',
  })
  expect(from('error=invalid_scope&error_description=No+scope&state=abc')).toEqual({
    kind: 'refused',
    reason: 'No scope',
  })
})
