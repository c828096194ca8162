import type { Mail } from '#base/mail/mail.ts'
import { button, escapeHtml, mailHtml, paragraph } from '#base/mail/mail-html.ts'
import type { NewMail } from '../store/mails.ts'
import { COPY, TEXTS } from './texts.ts'

export function codeMail(mail: NewMail, link: string): Pick<Mail, 'to' | 'subject' | 'text' | 'html'> {
  const words = TEXTS[mail.purpose]
  const to = mail.newEmail ?? mail.email
  const lead = words.lead({ from: mail.email, to })
  return {
    to,
    subject: words.subject,
    text: `${[lead, words.link, link, words.notYou].join('\n\n')}\n`,
    html: mailHtml([
      paragraph(lead),
      paragraph(words.link),
      button(words.button, link),
      paragraph(COPY),
      `<p style="word-break:break-all">${escapeHtml(link)}</p>`,
      paragraph(words.notYou),
    ]),
  }
}
