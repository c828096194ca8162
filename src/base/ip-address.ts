import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The key under which a client is counted: an IPv4 address, or the /64 of an IPv6 address, which is what one customer gets.
 * `null` for loopback: that is a proxy on this machine, and counting it would let one visitor lock out all others.
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

/** As `ipKey`, with one key for all of loopback: for limits per account. */
export const networkKey = (ip: string): string => ipKey(ip) ?? 'loopback'

/** An address, or a network such as 10.0.0.0/8. The library alone would also take `10/8` and octal numbers. */
export function isNetwork(value: string): boolean {
  const [address = ''] = value.split('/')
  return isIP(address) !== 0 && (value === address ? ipaddr.isValid(value) : ipaddr.isValidCIDR(value))
}

/** Tells whether an address is in one of these networks, each as `isNetwork` takes it, or `loopback`. */
export function networkMatcher(networks: readonly string[]): (ip: string) => boolean {
  const trusted = networks
    .flatMap((each) => (each === 'loopback' ? ['127.0.0.0/8', '::1'] : [each]))
    .map((each) => (each.includes('/') ? ipaddr.parseCIDR(each) : wholeAddress(each)))
  return (ip) => {
    if (isIP(ip) === 0) return false
    const plain = withoutZone(ip)
    // An IPv4 network may be written as one of IPv4-mapped addresses.
    return [ipaddr.process(plain), ipaddr.parse(plain)].some(
      (address) => ipaddr.subnetMatch(address, { trusted }, 'other') === 'trusted',
    )
  }
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

function wholeAddress(ip: string): Network {
  const address = ipaddr.process(withoutZone(ip))
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** `fe80::1%eth0` without the interface; the library does not read every name of one. */
const withoutZone = (ip: string): string => ip.replace(/%.*$/, '')
