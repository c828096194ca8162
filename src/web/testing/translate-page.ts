import { onTestFinished } from 'vitest'

/** Does what browsers do that translate a page: each text, also a later one, is replaced by elements that hold its translation. */
export function translatePage(): void {
  translate(document.body)
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) translate(node)
  })
  observer.observe(document.body, { childList: true, subtree: true })
  onTestFinished(() => observer.disconnect())
}

function translate(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const texts = root instanceof Text ? [root] : []
  while (walker.nextNode()) texts.push(walker.currentNode as Text) // it shows texts only
  for (const text of texts) {
    if (text.data.trim() === '' || !text.parentElement || text.parentElement.closest('font, style, textarea'))
      continue
    const font = document.createElement('font')
    const inner = font.appendChild(document.createElement('font'))
    inner.textContent = text.data
    text.replaceWith(font)
  }
}
