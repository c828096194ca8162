// Runs before the first paint, so that a dark page never flashes light. ui/color-scheme.ts knows the same key.
;(function () {
  var stored = null
  try {
    stored = localStorage.getItem('darkMode')
  } catch {
    // Storage may be switched off; then the system decides.
  }
  var dark =
    location.pathname === '/signup' ||
    (stored === null ? matchMedia('(prefers-color-scheme: dark)').matches : stored === 'true')
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
