import type { Mailer } from './mail.ts'
import { createMailbox } from './mailbox.ts'
import { createSmtpMailer } from './smtp.ts'

export type MailConfig = {
  readonly smtpUrl: string | null
  readonly mailFrom: string
  readonly mailboxDir: string
}

export const createMailer = (config: MailConfig): Mailer =>
  config.smtpUrl === null
    ? createMailbox({ dir: config.mailboxDir, from: config.mailFrom })
    : createSmtpMailer({ url: config.smtpUrl, from: config.mailFrom })
