import { z } from 'zod'
import type { Mail, Mailer, SendResult } from './mail.ts'

/** Longer than a mail server may take: no other process sends the same mail before the lease ends. */
export const MAIL_LEASE_MS = 60_000

const RETRY_DELAYS_S = [60, 60, 120, 300, 600, 1800, 3600]

/** Notification mails are retried for about a day with growing delays. */
export const MAIL_ATTEMPTS_MAX = 29

export const mailRetryDelayMs = (attempts: number): number => (RETRY_DELAYS_S[attempts - 1] ?? 3600) * 1000

/**
 * `not_taken`: to be sent again under the same key; after a time-out it may have arrived. `fields` are for the log: the
 * whole error would contain the recipient.
 */
type SendAttempt = SendResult | { readonly kind: 'not_taken'; readonly fields: z.infer<typeof ErrorFields> }

const ErrorFields = z.object({ code: z.string().optional(), responseCode: z.number().optional() }).catch({})

export const trySend = (mailer: Mailer, mail: Mail): Promise<SendAttempt> =>
  mailer.send(mail).catch((error: unknown) => ({ kind: 'not_taken', fields: ErrorFields.parse(error) }))
