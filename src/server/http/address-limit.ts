import { ipKey } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import { createCounter } from './counter.ts'

const WINDOW_MS = 60_000
/** One network may try this many addresses. */
const MOST_BY_IP = 120
/** A team's calendar apps share one network address, and read every few minutes. */
const MOST_BY_ADDRESS = 30

/** Rate limits of secret addresses that work without a log-in. */
export type AddressLimit = {
  /** Call it before the address is looked up. @throws Problem too_many_requests */
  countCaller(ip: string): void
  /** Call it for an address that exists. @throws Problem too_many_requests */
  countAddress(address: string): void
}

export function createAddressLimit(now: () => number): AddressLimit {
  const callers = createCounter(WINDOW_MS, now)
  const addresses = createCounter(WINDOW_MS, now)
  return {
    countCaller(ip) {
      const key = ipKey(ip)
      if (key !== null && callers.count(key) > MOST_BY_IP) throw tooMany()
    },
    countAddress(address) {
      if (addresses.count(address) > MOST_BY_ADDRESS) throw tooMany()
    },
  }
}

const tooMany = () =>
  new Problem('too_many_requests', 'Too many requests. Try again in a minute.', {
    retryAfterS: WINDOW_MS / 1000,
  })
