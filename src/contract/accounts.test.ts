import { expect, test } from 'vitest'
import { accountName } from './accounts.ts'

test('an account without a known handle goes by its displayed name', () => {
  expect(accountName({ username: 'nova', display_name: 'Nova Novak' })).toBe('@nova')
  expect(accountName({ username: null, display_name: 'Nova Novak' })).toBe('Nova Novak')
})
