import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Session } from '#domain/delivery/state.ts'

/**
 * Verifies and parses a webhook call. Pure, and cheap enough to run for unauthenticated callers. The result only says
 * what to ask the platform about; a webhook's own claims are never trusted.
 */
export type Hook = (request: HookRequest) => HookReading

export type HookRequest = {
  /** The value of a header, however its name is written; `null`: it is not there. */
  readonly header: (name: string) => string | null
  /** The bytes as they came: signatures are over these. */
  readonly body: Buffer
  /** Epoch ms. */
  readonly now: number
}

export type HookReading =
  /** Not proven to come from the platform, or too old. The caller is not told why. */
  | { readonly kind: 'refused'; readonly why: string }
  /** From the platform, and nothing to us. */
  | { readonly kind: 'ignored' }
  | Notice

/** `key` is the same whenever the same is told again, and is kept only as a hash. */
export type Notice =
  /** Something became of a post; `session` is a part of what the session of its delivery holds. */
  | {
      readonly kind: 'post_moved'
      readonly key: string
      readonly externalId: string
      readonly session: Session
    }
  /** The account's owner, or the platform, took our access away at this time (epoch ms). */
  | {
      readonly kind: 'access_removed'
      readonly key: string
      readonly externalId: string
      readonly at: number
    }
  /** The account's owner wants all that we hold of them to be deleted. `receipt` words our answer as the platform wants it. */
  | {
      readonly kind: 'erase_person'
      readonly key: string
      readonly externalId: string
      readonly receipt: (done: { readonly code: string; readonly url: string }) => object
    }

/** What is to be registered at the platform: the last part of the address, and what the platform's own page calls it. */
export type HookFacts = { readonly name: string; readonly called: string }

export const refused = (why: string): HookReading => ({ kind: 'refused', why })
export const IGNORED: HookReading = { kind: 'ignored' }

export const hmacSha256 = (secret: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** Takes as long whichever bytes differ. Lengths are no secret. */
export const sameBytes = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
