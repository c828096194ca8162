import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { asObject, parseJson } from '../kit/json.ts'
import { escapeHtml, autoRefresh, page } from '../kit/http/page.ts'

export interface Mail {
  name: string
  to: string
  from: string
  subject: string
  text: string
  html: string | null
  at: string
}

export function mountMailbox(app: FastifyInstance, dir: string | null): void {
  app.get('/mailbox', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(listPage(await readMails(dir))),
  )
  app.get<{ Params: { name: string } }>('/mailbox/:name', async (request, reply) => {
    const mail = (await readMails(dir)).find((each) => each.name === request.params.name)
    return reply
      .code(mail === undefined ? 404 : 200)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(mail === undefined ? missingPage : mailPage(mail))
  })
  app.get<{ Params: { name: string } }>('/mailbox/:name/html', async (request, reply) => {
    const mail = (await readMails(dir)).find((each) => each.name === request.params.name)
    return reply
      .code(mail?.html == null ? 404 : 200)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', harmless)
      .send(mail?.html ?? missingPage)
  })
}

/** Nothing in a mail may run, load or send anything. */
const harmless = "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

export async function readMails(dir: string | null): Promise<Mail[]> {
  if (dir === null) return []
  const names = await readdir(dir).catch(() => [])
  const mails = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map(async (name) => readMail(name, join(dir, name))),
  )
  return mails
    .filter((mail) => mail !== null)
    .toSorted((a, b) => b.at.localeCompare(a.at) || b.name.localeCompare(a.name))
}

async function readMail(name: string, path: string): Promise<Mail | null> {
  const content = asObject(parseJson(await readFile(path, 'utf8').catch(() => '')))
  if (content === null) return null
  const text = (field: string): string => (typeof content[field] === 'string' ? content[field] : '')
  return {
    name,
    to: text('to'),
    from: text('from'),
    subject: text('subject'),
    text: text('text'),
    html: text('html') || null,
    at: text('at'),
  }
}

const links = `<nav aria-label="Practice platforms"><a href="/">Feed</a><a href="/mailbox">Mailbox</a></nav>`

function listPage(mails: Mail[]): string {
  const items = mails.map(
    (
      mail,
    ) => `<li class="card"><a href="/mailbox/${encodeURIComponent(mail.name)}">${escapeHtml(mail.subject || '(no subject)')}</a>
<div class="muted small">To ${escapeHtml(mail.to)} · ${escapeHtml(formatTime(mail))}</div></li>`,
  )
  const list =
    mails.length === 0
      ? `<div class="card"><h2>No emails yet</h2><p class="muted">Emails from Reelay on this computer, such as a password reset, arrive here.</p></div>`
      : `<ul class="plain">${items.join('\n')}</ul>`
  return page({
    title: 'Practice mailbox',
    head: autoRefresh('mails'),
    main: `${links}<h1>Practice mailbox</h1><div id="mails" aria-live="polite" data-state="${mails.length}">${list}</div>`,
  })
}

const mailPage = (mail: Mail): string =>
  page({
    title: mail.subject || 'Email',
    main: `${links}<div class="card"><h1>${escapeHtml(mail.subject || '(no subject)')}</h1>
<dl><dt>To</dt><dd>${escapeHtml(mail.to)}</dd><dt>From</dt><dd>${escapeHtml(mail.from)}</dd><dt>Sent</dt><dd>${escapeHtml(formatTime(mail))}</dd></dl>
<p class="text">${withLinks(mail.text)}</p></div>
${mail.html === null ? '' : `<p><a href="/mailbox/${encodeURIComponent(mail.name)}/html">Show it formatted</a></p>`}`,
  })

const missingPage = page({
  title: 'Not found',
  main: `${links}<div class="card"><h1>Not found</h1><p class="muted">This email does not exist.</p></div>`,
})

function formatTime(mail: Mail): string {
  const at = new Date(mail.at)
  return Number.isNaN(at.getTime()) ? mail.at : at.toUTCString()
}

/** Escapes the text and makes its web addresses clickable, without a full stop after one. */
function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/)
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join('')
}
