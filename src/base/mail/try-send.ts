import { z } from 'zod'
import type { Mail, Mailer, SendResult } from './mail.ts'

/** Longer than a mail server may take: until its lease ends no other process sends the same mail. */
export const MAIL_LEASE_MS = 60_000

/** The last delay repeats. */
const RETRY_DELAYS_S = [60, 60, 120, 300, 600, 1800, 3600]

/** Of a notification's mail: about a day, as the delays grow. */
export const MAIL_ATTEMPTS_MAX = 29

/** How long a mail waits after so many attempts. */
export const mailRetryDelayMs = (attempts: number): number => (RETRY_DELAYS_S[attempts - 1] ?? 3600) * 1000

/**
 * `not_taken`: to be sent again under the same key; after a timeout it may have arrived. `fields` are for the log: the whole error
 * would contain the recipient.
 */
type SendAttempt = SendResult | { readonly kind: 'not_taken'; readonly fields: z.infer<typeof ErrorFields> }

/** Such as ECONNREFUSED, or EAUTH and 535. */
const ErrorFields = z.object({ code: z.string().optional(), responseCode: z.number().optional() }).catch({})

/** Hands a mail over; what a mailer throws becomes a value. */
export const trySend = (mailer: Mailer, mail: Mail): Promise<SendAttempt> =>
  mailer.send(mail).catch((error: unknown) => ({ kind: 'not_taken', fields: ErrorFields.parse(error) }))
