import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Rate limits count clients by this key: an IPv4 address, or an IPv6 address's /64, which one customer gets. `null` for
 * loopback: behind a local proxy one visitor could lock out all others.
 */
export function ipKey(ip: string): string | null {
  if (isIP(ip) === 0) return ip
  const address = ipaddr.process(withoutZone(ip))
  if (address.range() === 'loopback') return null
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return address.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

/** Like `ipKey`, with one key for all of loopback: for limits per account. */
export const networkKey = (ip: string): string => ipKey(ip) ?? 'loopback'

/** An address, or a network such as 10.0.0.0/8. The library alone also accepts `10/8` and octal numbers. */
export function isNetwork(value: string): boolean {
  const [address = ''] = value.split('/')
  return isIP(address) !== 0 && (value === address ? ipaddr.isValid(value) : ipaddr.isValidCIDR(value))
}

export function networkMatcher(networks: readonly string[]): (ip: string) => boolean {
  const trusted = networks
    .flatMap((each) => (each === 'loopback' ? ['127.0.0.0/8', '::1'] : [each]))
    .map((each) => (each.includes('/') ? ipaddr.parseCIDR(each) : wholeAddress(each)))
  return (ip) => {
    if (isIP(ip) === 0) return false
    const plain = withoutZone(ip)
    // IPv4 networks may be written as IPv4-mapped ones.
    return [ipaddr.process(plain), ipaddr.parse(plain)].some(
      (address) => ipaddr.subnetMatch(address, { trusted }, 'other') === 'trusted',
    )
  }
}

/** The only block of IPv6 from which public addresses are given out (RFC 4291, 2.4; IANA, 2026-11-29). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/** The last four bytes are the IPv4 address that is called (RFC 6052, 2.1). Local prefixes (RFC 8215) are no public addresses. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/** False for addresses of private, local, shared and reserved networks, also inside an IPv6 address. */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0) return false
  const address = ipaddr.process(withoutZone(ip))
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  if (address.match(NAT64)) return isPublicAddress(address.toByteArray().slice(-4).join('.'))
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

function wholeAddress(ip: string): Network {
  const address = ipaddr.process(withoutZone(ip))
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** `fe80::1%eth0` without the interface; the library cannot read every interface name. */
const withoutZone = (ip: string): string => ip.replace(/%.*$/, '')
