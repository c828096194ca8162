import { expect, test } from 'vitest'
import { newUuid } from './new-uuid.ts'

test('ids are UUIDs of version 4 that do not repeat', () => {
  const ids = Array.from({ length: 50 }, newUuid)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set(ids).size).toBe(50)
})
