import { expect, test } from 'vitest'
import { ipKey, isNetwork, isPublicAddress, networkMatcher } from './ip-address.ts'

test.each([
  ['127.0.0.1', null],
  ['::1', null],
  ['::ffff:127.0.0.1', null],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0.100', 'fe80:0:0:0'],
  ['::2', '0:0:0:0'],
  ['no address', 'no address'],
])('clients at %s are counted as %s', (ip, key) => {
  expect(ipKey(ip)).toBe(key)
})

test.each(['10.0.0.5', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32', '::ffff:10.0.0.0/104'])(
  '%s is an address or a network',
  (value) => {
    expect(isNetwork(value)).toBe(true)
  },
)

test.each(['', 'proxy', '10/8', '010.0.0.0/8', '10.0.0.0/33', '2001:db8::/129', '10.0.0.0/8/8', '10.0.0.0/'])(
  '"%s" is neither an address nor a network',
  (value) => {
    expect(isNetwork(value)).toBe(false)
  },
)

test.each([
  ['127.0.0.9', true],
  ['::1', true],
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['11.1.2.3', false],
  ['2001:db8:1::1', true],
  ['2001:db9::1', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['fe80::1%eth0', true],
  ['no address', false],
])('%s is in a trusted network: %s', (ip, trusted) => {
  const isTrusted = networkMatcher(['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.7', 'fe80::/10'])
  expect(isTrusted(ip)).toBe(trusted)
})

test('a network of IPv4-mapped addresses is matched in that form', () => {
  expect(networkMatcher(['::ffff:10.0.0.0/104'])('::ffff:10.1.2.3')).toBe(true)
})

test.each([
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['64:ff9b::8.8.8.8', true],
  ['::ffff:8.8.8.8', true],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['192.0.2.1', false],
  ['64:ff9b::10.0.0.1', false],
  ['64:ff9b:1::8.8.8.8', false],
  ['::ffff:10.0.0.1', false],
  ['2002:808:808::', false],
  ['2001:db8::1', false],
  ['4000::1', false],
  ['fe80::1%eth0', false],
  ['no address', false],
])('%s is a public address: %s', (ip, isPublic) => {
  expect(isPublicAddress(ip)).toBe(isPublic)
})
