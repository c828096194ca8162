import type { Mail } from '#base/mail/mail.ts'
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
    html: `<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#F7F8F8;color:#12181B;font:15px/24px system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:24px;background:#FFFFFF;border:1px solid #E3E7E9;border-radius:12px">
<p>${escapeHtml(lead)}</p>
<p>${escapeHtml(words.link)}</p>
<p><a href="${escapeHtml(link)}" style="display:inline-block;padding:8px 16px;border-radius:8px;background:#0B6E75;color:#FFFFFF;text-decoration:none">${escapeHtml(words.button)}</a></p>
<p>${escapeHtml(COPY)}</p>
<p style="word-break:break-all">${escapeHtml(link)}</p>
<p>${escapeHtml(words.notYou)}</p>
</div>
</body>
</html>
`,
  }
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
