import { notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react'
import { onDraftsCleared } from '#web/lib/form-drafts.ts'
import { ICON } from './icons.tsx'
import { readingMs } from '#web/lib/reading-time.ts'

export type Announcement = {
  readonly kind: 'done' | 'failed' | 'note'
  readonly message: string
  readonly title?: string
  /** An id under which `dismiss` can dismiss it. */
  readonly about?: string
  /** The path of the page it belongs to and closes with; default: the current page, null: none. */
  readonly page?: string | null
}

const LOOKS = {
  done: { icon: <IconCheck {...ICON} />, color: 'var(--r-published)' },
  failed: { icon: <IconAlertTriangle {...ICON} />, color: 'var(--r-failed)' },
  note: { icon: <IconInfoCircle {...ICON} />, color: 'var(--r-scheduled)' },
} as const

const pages = new Map<string, string>()

/** Shows a notification: an error until it is closed, else for its reading time, but not while hovered, focused or in a hidden tab. */
export function announce({
  kind,
  message: text,
  title,
  about,
  page = location.pathname,
}: Announcement): void {
  const autoClose = kind === 'failed' ? false : readingMs(`${title ?? ''} ${text}`)
  // Mantine has something beside the message.
  const message = <span>{text}</span>
  const closeLater = () => notifications.update({ id, autoClose, message })
  const id: string = notifications.show({
    message,
    ...(title !== undefined && { title }),
    ...(about !== undefined && { id: about }),
    ...LOOKS[kind],
    autoClose: document.hidden ? false : autoClose,
    onFocusCapture: () => notifications.update({ id, autoClose: false, message }),
    onBlurCapture: closeLater,
    onClose: () => pages.delete(id),
    closeButtonProps: { 'aria-label': 'Close' },
  })
  if (document.hidden) document.addEventListener('visibilitychange', closeLater, { once: true })
  if (page !== null) pages.set(id, page)
}

/** Closes the notifications of other pages after a navigation. */
export function closeAnnouncementsOfOtherPages(shown: string): void {
  for (const [id, page] of pages) if (page !== shown) notifications.hide(id)
}

// After a log-out, the next user must not see them.
onDraftsCleared((exceptUid) => exceptUid === null && notifications.clean())

/** Dismisses the notification with this id, if it is still shown. */
export const dismiss = (about: string): void => void notifications.hide(about)
