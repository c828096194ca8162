import { ACTION_PATH } from '#contract/addresses.ts'
import type { Mail } from '../mail/mail.ts'

/** The page of the web app that a mailed code opens. The host is the configured one: a request's could be forged. */
export function actionUrl(
  publicUrl: string,
  action: { mode: 'resetPassword'; code: string; apiKey: string },
): string {
  const query = new URLSearchParams({
    mode: action.mode,
    oobCode: action.code,
    apiKey: action.apiKey,
    lang: 'en',
  })
  return `${publicUrl}${ACTION_PATH}?${query.toString()}`
}

export function resetMail(to: string, link: string): Mail {
  const lines = [
    `Somebody asked to reset the password of the Reelay account ${to}.`,
    'Open this link to choose a new one. It works once, within one hour:',
    link,
    'If it was not you, do nothing: your password stays as it is.',
  ]
  return { to, subject: 'Reset your Reelay password', text: `${lines.join('\n\n')}\n`, html: html(to, link) }
}

const html = (to: string, link: string): string => `<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#F7F8F8;color:#12181B;font:15px/24px system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:24px;background:#FFFFFF;border:1px solid #E3E7E9;border-radius:12px">
<p>Somebody asked to reset the password of the Reelay account <strong>${escapeHtml(to)}</strong>.</p>
<p><a href="${escapeHtml(link)}" style="display:inline-block;padding:8px 16px;border-radius:8px;background:#0B6E75;color:#FFFFFF;text-decoration:none">Choose a new password</a></p>
<p>The link works once, within one hour. If the button does not work, copy this address into your browser:</p>
<p style="word-break:break-all">${escapeHtml(link)}</p>
<p>If it was not you, do nothing: your password stays as it is.</p>
</div>
</body>
</html>
`

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
