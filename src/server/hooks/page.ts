import { escapeHtml, plainPage } from '../http/plain-page.ts'
import type { Deletion } from './store.ts'

export const deletionPage = (code: string, deletion: Deletion): string =>
  page(
    'Your data was deleted',
    deletion.accounts === 0
      ? ['This server held no data about your account.']
      : [
          'This server deleted everything it held about your account: its permission to post for you, and the account’s id, name, handle and picture address.',
          'Posts that went out on your account stay online. This server keeps a record of them that does not say whose account they went to.',
        ],
    [
      ['Confirmation code', code],
      ['Received and done', deletion.at.toUTCString()],
    ],
  )

export const noDeletionPage = (): string =>
  page('Request not found', ['No deletion request has this code. Check that the address is complete.'], [])

function page(title: string, paragraphs: readonly string[], facts: readonly (readonly [string, string])[]) {
  const list = facts
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')
  return plainPage(title, [
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(list === '' ? [] : [`<dl>${list}</dl>`]),
  ])
}
