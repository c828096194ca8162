export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** A POST to this address ends mails of this kind without a log-in (RFC 8058). */
  readonly unsubscribeUrl?: string
  /** Idempotency key: a retry under the same key is the same mail. */
  readonly key: string
  /** The time of the request, kept by retries. */
  readonly at: Date
}

/** `refused`: the recipient's mail server refused it for good; a retry would be refused too. */
export type SendResult = { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly status: number }

export type Mailer = {
  /** Rejects if the mail was not accepted now; after a time-out it may still arrive. */
  send(mail: Mail): Promise<SendResult>
}
