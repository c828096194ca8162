import { expect, test } from 'vitest'
import { hasConditions } from '#web/platforms/list-conditions.ts'
import { formatQueueAddress, parseQueueAddress } from './queue-address.ts'

test.each([
  '',
  'status=failed',
  'status=cancelled&brand=2&account=3&platform=tiktok&from=2026-11-01&to=2026-11-30&search=lemon+tart',
])('the address %j is read and written the same', (address) =>
  expect(formatQueueAddress(parseQueueAddress(new URLSearchParams(address))).toString()).toBe(address),
)

test('invalid values in an address are ignored', () => {
  const { status, conditions } = parseQueueAddress(
    new URLSearchParams('status=x&brand=-1&account=&platform=x&from=2026-02-30&to=x&search=+'),
  )
  expect([status, conditions]).toEqual(['all', {}])
  expect(hasConditions(conditions)).toBe(false)
})
