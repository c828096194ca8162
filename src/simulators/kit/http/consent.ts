import type { Answer } from './serve.ts'
import { escapeHtml, page } from './page.ts'

export interface ConsentPage {
  platform: string
  action: string
  avatarBase: string
  creators: { username: string; about: string }[]
  scopes: { name: string; means: string; locked: boolean }[]
  hidden: Record<string, string>
  redirect: string
}

export function consentPage(options: ConsentPage): Answer {
  const hidden = Object.entries(options.hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const creators = options.creators.map(
    ({ username, about }, index) => `<label class="choice">
<input type="radio" name="creator" value="${escapeHtml(username)}" required${index === 0 ? ' checked' : ''}>
<img src="${options.avatarBase}/${encodeURIComponent(username)}.svg" alt="" width="32" height="32">
<span>${escapeHtml(username)} <span class="muted small">${escapeHtml(about)}</span></span></label>`,
  )
  const scopes = options.scopes.map(({ name, means, locked }) =>
    locked
      ? `<label class="choice"><input type="checkbox" checked disabled><span>${escapeHtml(means)} <span class="muted small">${escapeHtml(name)}, always needed</span></span></label><input type="hidden" name="scope" value="${escapeHtml(name)}">`
      : `<label class="choice"><input type="checkbox" name="scope" value="${escapeHtml(name)}" checked><span>${escapeHtml(means)} <span class="muted small">${escapeHtml(name)}</span></span></label>`,
  )
  const main = `<p class="brand">${escapeHtml(options.platform)}</p>
<h1>Let Reelay use your account?</h1>
<p class="muted">This is a practice platform on your own computer. Nothing here reaches the real one.</p>
<form class="card" method="post" action="${escapeHtml(options.action)}">
${hidden.join('\n')}
<fieldset><legend>Continue as</legend>
${creators.join('\n')}
</fieldset>
<fieldset><legend>Reelay may</legend>
${scopes.join('\n')}
</fieldset>
<div class="buttons">
<button type="submit" name="decision" value="deny">Refuse</button>
<button class="primary" type="submit" name="decision" value="approve">Allow</button>
</div>
</form>
<p class="muted small">You return to ${escapeHtml(options.redirect)}</p>`
  return html(200, page({ title: `${options.platform}: allow Reelay?`, main }))
}

/** The platform's own error page: a faulty request never reaches the redirect address. */
export function consentError(platform: string, status: number, title: string, text: string): Answer {
  const main = `<p class="brand">${escapeHtml(platform)}</p>
<div class="card"><h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<p class="muted small">The app asked for something that this platform does not allow. The person who runs the app can fix that.</p></div>`
  return html(status, page({ title: `${platform}: ${title}`, main }))
}

const html = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body,
})

export const redirect = (location: string): Answer => ({ status: 302, headers: { location }, body: '' })

/** Percent-encodes everything but letters, digits and `-_.~`: also the `*` and `!` of TikTok's codes. */
export const encodeQuery = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .join('&')

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
