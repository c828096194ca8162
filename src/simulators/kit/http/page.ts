export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

export function page(options: { title: string; main: string; head?: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(options.title)}</title>
<style>${style}</style>
${options.head ?? ''}
</head>
<body>
<main>
${options.main}
</main>
</body>
</html>
`
}

/**
 * Refreshes one part of a page every two seconds when it changed and no video in it is playing. Reloading the page would
 * lose the scroll position.
 */
export const autoRefresh = (id: string): string => `<script>
setInterval(async () => {
  const shown = document.getElementById('${id}')
  if ([...shown.querySelectorAll('video')].some((video) => !video.paused)) return
  const text = await (await fetch(location.pathname)).text()
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('${id}')
  if (fresh && fresh.dataset.state !== shown.dataset.state) shown.replaceWith(fresh)
}, 2000)
</script>`

export function avatarSvg(username: string): string {
  const hue = Buffer.from(username).reduce((sum, byte) => sum + byte * 47, 0) % 360
  const initial = escapeHtml((username[0] ?? '?').toUpperCase())
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96"><rect width="96" height="96" rx="48" fill="hsl(${hue} 45% 32%)"/><text x="48" y="62" text-anchor="middle" font-family="system-ui, sans-serif" font-size="42" font-weight="600" fill="#fff">${initial}</text></svg>`
}

const style = `
:root { --page: #F7F8F8; --surface: #FFFFFF; --line: #E3E7E9; --ink: #12181B; --muted: #55626A; --accent: #0B6E75; --on-accent: #FFFFFF; --soft: #E6F1F2; --bad: #C0262D; --control: #7C888F; }
@media (prefers-color-scheme: dark) { :root { --page: #0E1315; --surface: #161D20; --line: #263034; --ink: #E8EDEF; --muted: #9AA8AF; --accent: #4CC3CC; --on-accent: #0E1315; --soft: #15292B; --bad: #F58A8E; --control: #75838A; } }
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; background: var(--page); color: var(--ink); font: 15px/22px Inter, system-ui, sans-serif; }
main { width: 100%; max-width: 460px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; line-height: 28px; letter-spacing: -0.02em; font-weight: 650; margin: 0 0 8px; }
h2 { font-size: 15px; line-height: 22px; margin: 0; }
p { margin: 0 0 12px; }
a { color: var(--accent); }
.muted { color: var(--muted); }
.small { font-size: 13px; line-height: 20px; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 0 0 16px; }
.brand { font-weight: 650; color: var(--accent); }
.bad { color: var(--bad); }
fieldset { border: 0; margin: 0 0 20px; padding: 0; }
legend { padding: 0; font-weight: 600; margin: 0 0 8px; }
.choice { display: flex; gap: 12px; align-items: center; min-height: 44px; padding: 4px 12px; border: 1px solid var(--line); border-radius: 8px; margin: 0 0 8px; cursor: pointer; }
.choice:has(input:checked) { background: var(--soft); border-color: var(--accent); }
.choice input { width: 18px; height: 18px; accent-color: var(--accent); flex: none; margin: 0; }
.choice img { border-radius: 50%; flex: none; }
.buttons { display: flex; gap: 12px; }
button { flex: 1; min-height: 44px; border-radius: 8px; border: 1px solid var(--control); background: var(--surface); color: var(--ink); font: inherit; font-weight: 600; cursor: pointer; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 20px; }
nav a { display: inline-flex; align-items: center; min-height: 32px; }
.post { padding: 0; overflow: hidden; }
.post header { display: flex; gap: 12px; align-items: center; padding: 12px 16px; }
.post header img { border-radius: 50%; flex: none; }
.post video { display: block; width: 100%; aspect-ratio: 9 / 16; max-height: 640px; background: #000; }
.post .about { padding: 12px 16px 16px; }
.text { white-space: pre-wrap; }
.meta { display: flex; flex-wrap: wrap; gap: 4px 12px; }
ul.plain { list-style: none; margin: 0; padding: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 12px; margin: 0 0 16px; }
dt { color: var(--muted); }
dd { margin: 0; }
`
