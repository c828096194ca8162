import { expect, test } from 'vitest'
import { accountKey } from './throttle.ts'

test('an account is counted without its address being written down', () => {
  expect(accountKey('somebody@example.test')).not.toContain('somebody')
})
