import '@testing-library/jest-dom/vitest'
import { cleanup, configure, getConfig } from '@testing-library/react'
import React from 'react'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { api } from './api-stub.ts'
import { identityProvider } from './identity-stub.ts'
import { answerNewcomer, leaveApp, loggedErrors } from './render-app.tsx'

// Mantine asks for these, and jsdom lacks them: https://mantine.dev/guides/vitest
const styleOf = window.getComputedStyle.bind(window)
window.getComputedStyle = (element) => styleOf(element)
window.HTMLElement.prototype.scrollIntoView = () => undefined
window.scrollTo = () => undefined
window.matchMedia = (media) => ({
  matches: false,
  media,
  onchange: null,
  addListener: () => undefined,
  removeListener: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  dispatchEvent: () => false,
})
window.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
// jsdom decodes no video: each one is of a kind that the browser cannot show.
HTMLMediaElement.prototype.load = () => undefined
Object.defineProperty(HTMLMediaElement.prototype, 'src', {
  configurable: true,
  get: () => '',
  set(this: HTMLMediaElement) {
    queueMicrotask(() => this.dispatchEvent(new Event('error')))
  },
})
URL.createObjectURL = () => 'blob:reelay'
URL.revokeObjectURL = () => undefined
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })

// React takes up to 10,000 stacks a second, one for each element, for warnings that no test reads: a tenth of all the work.
const shared: unknown = Reflect.get(React, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE')
if (typeof shared === 'object' && shared !== null)
  Object.defineProperty(shared, 'recentlyCreatedOwnerStacks', {
    get: () => 10_000,
    set() {},
    configurable: true,
  })

// A screen's code is loaded when it is first opened, which takes its time on a busy machine.
configure({
  asyncUtilTimeout: 120_000,
  // The text of the page tells enough; its whole markup buries the failure.
  getElementError: (message) =>
    new Error(`${message?.split('\n')[0] ?? ''}\n${isWaiting() ? '' : shownText()}`),
})

/** While it waits, Testing Library drops these errors; when it gives up it asks for one more. */
const isWaiting = (): boolean => Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics') === true

function shownText(): string {
  const page = document.createElement('div')
  page.append(document.body.cloneNode(true))
  for (const style of page.querySelectorAll('style')) style.remove()
  return page.textContent
}

// React makes nodes only of texts that have no element to themselves, and a translated page breaks there: `jsx/runtime.ts`.
let bareTexts: { readonly node: Text; readonly text: string }[] = []
const createTextNode = document.createTextNode.bind(document)
document.createTextNode = (text) => {
  const node = createTextNode(text)
  if (text.trim() !== '') bareTexts.push({ node, text })
  return node
}
/** Mantine's labels stand bare beside nothing that comes and goes; they may not change. */
function isSafe({ node, text }: (typeof bareTexts)[number]): boolean {
  if (node.data !== text) return false
  // A translated page has elements in the place of its texts.
  if (node.parentElement === null) return document.querySelector('font') !== null
  return node.parentElement.matches('.mantine-InputWrapper-label, style')
}

beforeEach(() => {
  bareTexts = []
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  loggedErrors.length = 0
  vi.spyOn(console, 'error').mockImplementation(
    (...said: unknown[]) => void loggedErrors.push(String(said[0])),
  )
  answerNewcomer()
})
afterEach(async () => {
  vi.useRealTimers()
  const unexpected = [...api.unexpectedCalls()]
  const unsafe = bareTexts.filter((bare) => !isSafe(bare)).map(({ text }) => text)
  cleanup()
  await leaveApp()
  api.reset()
  identityProvider.reset()
  localStorage.clear()
  expect(unexpected, 'calls that no answer was set for').toEqual([])
  expect(unsafe, 'texts without an element of their own').toEqual([])
})
