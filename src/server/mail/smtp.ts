import { createTransport } from 'nodemailer'
import type { Mailer } from './mail.ts'

/** The library's own time-outs are minutes; a mail must be over before another process may try it again. */
const STEP_TIMEOUT_MS = 10_000

/** @param options.url such as `smtps://user:password@host:465`. */
export function createSmtpMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport(
    {
      url: options.url,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      // Mails are made of our own texts: nothing in them may name a file or an address to be fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: options.from },
  )
  return {
    async send(mail) {
      await transport.sendMail({ ...mail, to: { name: '', address: mail.to } })
    },
  }
}
