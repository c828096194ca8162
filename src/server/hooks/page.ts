import type { Deletion } from './store.ts'

/** The page for people who had a platform delete their data here. No scripts, nothing from other servers. */
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
  const list = facts.map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="/favicon.svg">
<title>${escape(title)} · Reelay</title>
<style>
body { margin: 0 auto; max-width: 36rem; padding: 48px 16px; font: 16px/24px system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; line-height: 32px; }
dt { margin-top: 16px; font-weight: 600; }
dd { margin: 0; }
</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
${paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n')}
${list === '' ? '' : `<dl>${list}</dl>`}
</main>
</body>
</html>
`
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
