import { expect, test } from 'vitest'
import { accountName } from './accounts.ts'

test('an account goes by its handle, and by its displayed name, without @, where the handle is not known', () => {
  expect(accountName({ username: 'nova', display_name: 'Nova Novak' })).toBe('@nova')
  expect(accountName({ username: null, display_name: 'Nova Novak' })).toBe('Nova Novak')
})
