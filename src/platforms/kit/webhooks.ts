import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Session } from '#domain/delivery/state.ts'

/**
 * Verifies and parses a webhook call. Pure, and cheap enough to run for unauthenticated callers. The result only says
 * what to ask the platform about; a webhook's own claims are never trusted.
 */
export type Hook = (request: HookRequest) => HookReading

export type HookRequest = {
  /** The value of a header, in any case; `null`: missing. */
  readonly header: (name: string) => string | null
  /** The raw bytes: signatures cover these. */
  readonly body: Buffer
  readonly now: number
}

export type HookReading =
  /** The call is not proven to come from the platform, or is too old. The caller is not told why. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The platform sent it, but it does not concern us. */
  | { readonly kind: 'ignored' }
  | Notice

/** `key` is equal for repeated notices and is stored only as a hash. */
export type Notice =
  /** A post changed; `session` is contained in the session of its delivery. */
  | {
      readonly kind: 'post_moved'
      readonly key: string
      readonly externalId: string
      readonly session: Session
    }
  /** The account's owner or the platform withdrew our access at this time (epoch ms). */
  | {
      readonly kind: 'access_removed'
      readonly key: string
      readonly externalId: string
      readonly at: number
    }
  /** The account's owner requests deletion of their data. `receipt` words our answer as the platform wants it. */
  | {
      readonly kind: 'erase_person'
      readonly key: string
      readonly externalId: string
      readonly receipt: (done: { readonly code: string; readonly url: string }) => object
    }

/** The operator registers the last part of the address, under the platform's name for it. */
export type HookFacts = { readonly name: string; readonly called: string }

export const refused = (why: string): HookReading => ({ kind: 'refused', why })
export const IGNORED: HookReading = { kind: 'ignored' }

export const hmacSha256 = (secret: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** Constant time for equal lengths; lengths are no secret. */
export const sameBytes = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
