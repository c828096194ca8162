export type Mail = {
  /** One address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Where a POST ends mails of this kind, without a log-in (RFC 8058). */
  readonly unsubscribeUrl?: string
  /** Idempotency key: a retry under the same key is the same mail. */
  readonly key: string
  /** When it was requested; retries keep it. */
  readonly at: Date
}

/** The result of sending a mail. `refused`: for good, by the recipient's mail server; a retry would be refused too. */
export type SendResult = { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly status: number }

export type Mailer = {
  /** Sends a mail. Rejects if it was not accepted now; after a time-out it may still arrive. */
  send(mail: Mail): Promise<SendResult>
}
