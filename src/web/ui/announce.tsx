import { notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react'
import { onForgotten } from '#web/drafts.ts'
import { ICON } from './icons.tsx'

/** `done` goes away by itself; the others stay until they have been read and closed. */
export type News = {
  readonly kind: 'done' | 'failed' | 'note'
  readonly message: string
  readonly title?: string
  /** What it is about, where it may become old news: see `unsay`. */
  readonly about?: string
}

const STAYS_MS = 6_000
const LOOKS = {
  done: { icon: <IconCheck {...ICON} />, color: 'var(--r-published)' },
  failed: { icon: <IconAlertTriangle {...ICON} />, color: 'var(--r-failed)' },
  note: { icon: <IconInfoCircle {...ICON} />, color: 'var(--r-scheduled)' },
} as const

/** Says something in the corner of the page, as an alert with exactly this text. */
export function announce({ kind, message, title, about }: News): void {
  notifications.show({
    message,
    ...(title !== undefined && { title }),
    ...(about !== undefined && { id: about }),
    ...LOOKS[kind],
    autoClose: kind === 'done' ? STAYS_MS : false,
    closeButtonProps: { 'aria-label': 'Close' },
  })
}

// What one person was told is not for the next.
onForgotten((keep) => keep === null && notifications.clean())

/** Takes back what was said about this, if it is still to be seen. */
export const unsay = (about: string): void => void notifications.hide(about)
