import { expect, test } from 'vitest'
import { accountKey, ipKey } from './throttle.ts'

test.each([
  ['127.0.0.1', null],
  ['::1', null],
  ['::ffff:127.0.0.1', null],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::2', '0:0:0:0'],
])('visitors at %s are counted as %s', (ip, key) => {
  expect(ipKey(ip)).toBe(key)
})

test('an account is counted without its address being written down', () => {
  expect(accountKey('somebody@example.test')).not.toContain('somebody')
})
