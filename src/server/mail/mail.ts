import { createMailbox } from './mailbox.ts'
import { createSmtpMailer } from './smtp.ts'

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

export type MailConfig = {
  /** `null`: mail goes to the mailbox. */
  readonly smtpUrl: string | null
  readonly mailFrom: string
  readonly mailboxDir: string
}

export const createMailer = (config: MailConfig, now: () => number): Mailer =>
  config.smtpUrl === null
    ? createMailbox({ dir: config.mailboxDir, from: config.mailFrom, now })
    : createSmtpMailer({ url: config.smtpUrl, from: config.mailFrom })
