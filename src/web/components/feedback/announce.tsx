import { notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react'
import { onForgotten } from '#web/lib/form-drafts.ts'
import { ICON } from '#web/components/display/icons.tsx'
import { readingMs } from '#web/lib/format/reading-time.ts'

export type News = {
  readonly kind: 'done' | 'failed' | 'note'
  readonly message: string
  readonly title?: string
  /** What it is about, where it may become old news: see `unsay`. */
  readonly about?: string
  /** The path of the page that it belongs to and goes away with: the one shown now, where absent. null: no page's. */
  readonly page?: string | null
}

const LOOKS = {
  done: { icon: <IconCheck {...ICON} />, color: 'var(--r-published)' },
  failed: { icon: <IconAlertTriangle {...ICON} />, color: 'var(--r-failed)' },
  note: { icon: <IconInfoCircle {...ICON} />, color: 'var(--r-scheduled)' },
} as const

const pages = new Map<string, string>()

/**
 * Says something beside the page, as an alert with exactly this text. It closes by itself once it could be read: not under
 * the pointer, not with the focus in it, and not in a tab that is hidden.
 */
export function announce({ kind, message, title, about, page = location.pathname }: News): void {
  const autoClose = readingMs(`${title ?? ''} ${message}`)
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

/** Another page is shown: what belonged to those before goes away. */
export function closeNewsOfOtherPages(shown: string): void {
  for (const [id, page] of pages) if (page !== shown) notifications.hide(id)
}

// What one person was told is not for the next.
onForgotten((keep) => keep === null && notifications.clean())

/** Takes back what was said about this, if it is still to be seen. */
export const unsay = (about: string): void => void notifications.hide(about)
