import { z } from 'zod'

/** The header by which a request that is sent again is known to be the same. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'Idempotency-Key takes 1 to 200 visible ASCII characters.')
