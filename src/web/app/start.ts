import '#web/components/theme/base-styles.ts'

/** A tab in the background paints nothing, and waits so long. */
const PAINT_MS = 300

let started = false
/** The document names all that the page needs, and some of it to be fetched only now: first what is seen. */
function start(): void {
  if (started) return
  started = true
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="after-paint"]'))
    link.rel = link.as === 'style' ? 'preload' : 'modulepreload'
  void import('./main.tsx')
}

// The shell is seen before the app takes the processor: a frame that is asked for is not yet one that is shown.
setTimeout(start, PAINT_MS)
new PerformanceObserver((paints) => {
  if (paints.getEntriesByName('first-contentful-paint').length > 0) start()
}).observe({ type: 'paint', buffered: true })
