import type { Reply } from '#contract/http/endpoint.ts'
import type { notificationEndpoints, Notification as Entry } from '#contract/notifications.ts'
import { readItem, removeItem, writeItem } from './storage.ts'
import { BROWSER_NOTIFICATIONS_KEY } from './storage-keys.ts'

/** `unsupported`: this browser has none. `denied`: it was told to show none of this site. */
export type BrowserNotifications = 'on' | 'off' | 'denied' | 'unsupported'

export function browserNotifications(): BrowserNotifications {
  if (!('Notification' in window)) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && shownUpTo() !== null ? 'on' : 'off'
}

/** Asks the browser for permission, if it has not given it yet. @param latest what is there already is not shown */
export async function turnOn(latest: Entry | null): Promise<BrowserNotifications> {
  if ((await Notification.requestPermission()) === 'granted')
    writeItem(BROWSER_NOTIFICATIONS_KEY, String(latest?.notification_id ?? 0))
  return browserNotifications()
}

export function turnOff(): BrowserNotifications {
  removeItem(BROWSER_NOTIFICATIONS_KEY)
  return browserNotifications()
}

/** The id of the last one that was shown in this browser; null: it shows none. */
const shownUpTo = (): number | null => {
  const stored = readItem(BROWSER_NOTIFICATIONS_KEY)
  return stored === null ? null : Number(stored)
}

/** Shows the latest once in this browser, unless Reelay is in view or the user wants quiet. */
export function showInBrowser(
  { latest, quiet }: Reply<typeof notificationEndpoints.getUnread>,
  open: (told: Entry) => void,
): void {
  const upTo = shownUpTo()
  if (upTo === null || latest === null || latest.notification_id <= upTo) return
  writeItem(BROWSER_NOTIFICATIONS_KEY, String(latest.notification_id))
  if (quiet) return
  const body = `${latest.subject}\n${latest.message}`
  // The tag makes only one of several tabs show it.
  popUp(latest.title, { body, tag: `reelay-${latest.notification_id}` }, () => open(latest))
}

/** Shows nothing where the user has turned it off, or sees Reelay. @param tag of several with one tag only the last is shown */
export function popUp(
  title: string,
  { body, tag }: { body: string; tag: string },
  onOpen?: () => void,
): void {
  if (!document.hidden || browserNotifications() !== 'on') return
  try {
    const popup = new Notification(title, { body, tag, icon: '/icons/icon-192.png' })
    popup.addEventListener('click', () => {
      window.focus()
      onOpen?.()
      popup.close()
    })
  } catch {
    // Browsers on phones allow them to service workers only, and say so by throwing.
  }
}
