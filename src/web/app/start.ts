import '#web/components/theme/base-styles.ts'

/** A background tab paints nothing, so the app starts after this time at the latest. */
const PAINT_TIMEOUT_MS = 300

let started = false
/** Starts the app and the preloads that the document defers until after the first paint. */
function start(): void {
  if (started) return
  started = true
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="after-paint"]'))
    link.rel = link.as === 'style' ? 'preload' : 'modulepreload'
  void import('./main.tsx')
}

// The shell is painted before the app starts; `requestAnimationFrame` would be too early.
setTimeout(start, PAINT_TIMEOUT_MS)
new PerformanceObserver((paints) => {
  if (paints.getEntriesByName('first-contentful-paint').length > 0) start()
}).observe({ type: 'paint', buffered: true })
