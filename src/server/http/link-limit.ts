import { ipKey } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import { createCounter } from './counter.ts'

const WINDOW_MS = 60_000
/** From one network, with whatever addresses. */
const MOST_BY_IP = 120
/** A team's calendar apps share one address, and read it every few minutes. */
const MOST_BY_LINK = 30

/** Rate limits of secret addresses that work without a log-in. */
export type LinkLimit = {
  /** Before the address is looked up. @throws Problem too_many_requests */
  countCaller(ip: string): void
  /** For an address that exists. @throws Problem too_many_requests */
  countLink(link: string): void
}

export function createLinkLimit(now: () => number): LinkLimit {
  const callers = createCounter(WINDOW_MS, now)
  const links = createCounter(WINDOW_MS, now)
  return {
    countCaller(ip) {
      const key = ipKey(ip)
      if (key !== null && callers.count(key) > MOST_BY_IP) throw tooMany()
    },
    countLink(link) {
      if (links.count(link) > MOST_BY_LINK) throw tooMany()
    },
  }
}

const tooMany = () =>
  new Problem('too_many_requests', 'Too many requests. Try again in a minute.', {
    retryAfterS: WINDOW_MS / 1000,
  })
