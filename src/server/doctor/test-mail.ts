import { randomUUID } from 'node:crypto'
import type { TestMail } from '#contract/operator.ts'
import { mailHtml, paragraph } from '#base/mail/mail-html.ts'
import { trySend } from '#base/mail/try-send.ts'
import type { Mailer } from '#base/mail/mail.ts'
import type { Config } from '../runtime/config.ts'

export type TestMailDeps = {
  readonly mail: Mailer
  readonly now: () => number
  readonly config: Pick<Config, 'smtpUrl' | 'publicUrl'>
}

/** Sends one mail at once, past the outboxes, and says what the mail server answered. */
export async function sendTestMail({ mail, now, config }: TestMailDeps, to: string): Promise<TestMail> {
  const text = `This is a test mail of Reelay at ${config.publicUrl}. If you can read it, mail works.`
  const sent = await trySend(mail, {
    to,
    subject: 'Test mail of Reelay',
    text: `${text}\n`,
    html: mailHtml([paragraph(text)]),
    key: randomUUID(),
    at: new Date(now()),
  })
  switch (sent.kind) {
    case 'taken':
      return config.smtpUrl === null
        ? {
            result: 'kept',
            message: 'No mail server is set: the mail is a file in the folder mailbox of the server.',
          }
        : {
            result: 'sent',
            message: `The mail server took it for ${to}. If it does not arrive, look among spam.`,
          }
    case 'refused':
      return {
        result: 'failed',
        message: `The mail server refused ${to} (${sent.status}): see that MAIL_FROM may send, and that the address exists.`,
      }
    case 'not_taken':
      return { result: 'failed', message: explain(sent.fields) }
  }
}

type Fields = { readonly code?: string | undefined; readonly responseCode?: number | undefined }

/** The whole error would contain the recipient, and may contain the log-in. */
function explain({ code, responseCode }: Fields): string {
  const detail = [code, responseCode].filter((part) => part !== undefined).join(' ')
  const words =
    code === 'EAUTH'
      ? 'The mail server refused the log-in of SMTP_URL'
      : code === 'EDNS' || code === 'ECONNECTION' || code === 'ETIMEDOUT' || code === 'ESOCKET'
        ? 'The mail server of SMTP_URL cannot be reached, or its certificate is not trusted'
        : 'The mail server did not take the mail'
  return detail === '' ? `${words}.` : `${words} (${detail}).`
}
