import { escapeHtml } from '../escape-html.ts'

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`

export const button = (label: string, href: string): string =>
  `<p><a href="${escapeHtml(href)}" style="display:inline-block;padding:8px 16px;border-radius:8px;background:#0B6E75;color:#FFFFFF;text-decoration:none">${escapeHtml(label)}</a></p>`

/** Mail programs read inline styles. @param parts blocks of HTML */
export const mailHtml = (parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#F7F8F8;color:#12181B;font:15px/24px system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:24px;background:#FFFFFF;border:1px solid #E3E7E9;border-radius:12px">
${parts.join('\n')}
</div>
</body>
</html>
`
