// Runs before the first paint, so that a dark page never flashes light.
// storage-keys.ts knows the same keys.
;(function () {
  var page = document.documentElement
  var stored = null
  try {
    stored = localStorage.getItem('darkMode')
  } catch {
    // Storage may be missing or switched off; then the system decides.
  }
  var dark =
    location.pathname === '/signup' ||
    (stored === null ? matchMedia('(prefers-color-scheme: dark)').matches : stored === 'true')
  page.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')

  // The frame of the browser, or of the installed app, is as the page is, also where the system is otherwise.
  function tellFrame() {
    var isDark = page.getAttribute('data-mantine-color-scheme') === 'dark'
    document.querySelectorAll('meta[name="theme-color"]').forEach(function (meta) {
      meta.setAttribute('content', isDark ? '#0e1315' : '#f7f8f8')
    })
  }
  tellFrame()
  new MutationObserver(tellFrame).observe(page, { attributeFilter: ['data-mantine-color-scheme'] })
})()
