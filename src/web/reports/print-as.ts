/** Prints the page. Browsers name a PDF by the page's title, which is this one meanwhile. */
export function printAs(title: string): void {
  const shown = document.title
  document.title = title
  window.addEventListener('afterprint', () => (document.title = shown), { once: true })
  window.print()
}
