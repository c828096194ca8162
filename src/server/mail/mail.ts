export type Mail = {
  /** One address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
}

export type Mailer = {
  /** Hands a mail over. Rejects when it was not taken; after a rejection by time-out it may arrive all the same. */
  send(mail: Mail): Promise<void>
}
