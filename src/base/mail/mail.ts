export type Mail = {
  /** One address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Names the mail: one that is sent again under the same key is the same mail, and takes the place of the first where it can. */
  readonly key: string
  /** When it was asked for, not when it is sent: that too stays the same. */
  readonly at: Date
}

/** The result of sending a mail. `refused`: for good, by the recipient's mail server; a retry would be refused too. */
export type Handed = { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly status: number }

export type Mailer = {
  /** Hands a mail over. Rejects when it was not taken now; after a rejection by time-out it may arrive all the same. */
  send(mail: Mail): Promise<Handed>
}
