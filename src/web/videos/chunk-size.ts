/**
 * So much goes into one request. Without a limit, a proxy that buffers requests would hand on nothing before the last byte, so
 * that nothing could be continued, and Cloudflare refuses bodies over 100 MB. A larger file costs an answer per 64 MiB.
 */
const FIRST_BYTES = 67_108_864
/** Of what nginx lets through by default (1 MiB) and what firewalls allow. */
const SMALLEST_BYTES = 262_144

/** For all uploads of this page: they go through the same proxy. */
let current = FIRST_BYTES

export const chunkBytes = (): number => current

export const canSendSmaller = (): boolean => current > SMALLEST_BYTES

/** After a part of so many bytes was refused as too large, or lost. */
export const sendSmaller = (bytes: number): void =>
  void (current = Math.max(SMALLEST_BYTES, Math.floor(Math.min(current, bytes) / 4)))

export const resetChunkSize = (bytes = FIRST_BYTES): void => void (current = bytes)
