import { escapeHtml } from '#base/escape-html.ts'

/** A page for people without a log-in: no scripts, nothing from other servers. @param parts blocks of HTML */
export const plainPage = (title: string, parts: readonly string[], style = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="/favicon.svg">
<title>${escapeHtml(title)} · Reelay</title>
<style>
body { margin: 0 auto; max-width: 36rem; padding: 48px 16px; font: 16px/24px system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; line-height: 32px; }
dt { margin-top: 16px; font-weight: 600; }
dd { margin: 0; }
button { padding: 8px 16px; font: inherit; }${style}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.join('\n')}
</main>
</body>
</html>
`
