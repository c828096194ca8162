import { onTestFinished, vi } from 'vitest'

/** The browser's notifications, allowed, in a page that is hidden. @returns the titles of those that are shown */
export function allowInBrowser(): string[] {
  const shown: string[] = []
  class Popup extends EventTarget {
    static readonly permission = 'granted'
    constructor(title: string) {
      super()
      shown.push(title)
    }
  }
  vi.stubGlobal('Notification', Popup)
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  return shown
}
