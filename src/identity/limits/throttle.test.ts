import { expect, test } from 'vitest'
import { accountKey } from './throttle.ts'

test('account keys do not contain the email address', () => {
  expect(accountKey('somebody@example.test')).not.toContain('somebody')
})
