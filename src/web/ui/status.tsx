import {
  IconAlertTriangle,
  IconCalendarClock,
  IconCheck,
  IconCircleX,
  IconClock,
  IconHourglass,
  IconInbox,
  IconLinkOff,
  IconLoader,
  IconMinus,
  IconPlayerPause,
  IconUpload,
  type Icon,
} from '@tabler/icons-react'
import type { BlockedCause, Delivery, DeliveryStatus } from '#contract/deliveries.ts'
import { STATUS_WORDS } from '#contract/texts.ts'
import { ICON } from './icons.tsx'
import { statusWord } from './status-word.ts'
import classes from './controls.module.css'

/** The colours of a status; each has one meaning everywhere. */
export type Tone = 'draft' | 'scheduled' | 'working' | 'published' | 'attention' | 'held' | 'failed'

export type Look = { readonly word: string; readonly tone: Tone; readonly Icon: Icon }

const LOOKS: Record<DeliveryStatus, Omit<Look, 'word'>> = {
  scheduled: { tone: 'scheduled', Icon: IconCalendarClock },
  preparing: { tone: 'working', Icon: IconUpload },
  committing: { tone: 'working', Icon: IconLoader },
  processing: { tone: 'working', Icon: IconClock },
  published: { tone: 'published', Icon: IconCheck },
  in_inbox: { tone: 'scheduled', Icon: IconInbox },
  failed: { tone: 'failed', Icon: IconCircleX },
  blocked: { tone: 'held', Icon: IconHourglass },
  unconfirmed: { tone: 'attention', Icon: IconAlertTriangle },
  cancelled: { tone: 'draft', Icon: IconMinus },
}

const BLOCKED_ICONS: Record<BlockedCause, Icon> = {
  account: IconLinkOff,
  limit: IconHourglass,
  missed: IconAlertTriangle,
  paused: IconPlayerPause,
  restored: IconHourglass,
}

/** A failure that needs nobody any more. */
export const SETTLED_LOOK: Look = { ...LOOKS.failed, word: STATUS_WORDS.failed, tone: 'draft' }

/** The look of a status by itself. */
export const statusLook = (status: DeliveryStatus): Look => ({
  ...LOOKS[status],
  word: STATUS_WORDS[status],
})

/** The look of a delivery: a held one shows why, and a failure that is settled needs nobody any more. */
export function lookOf(delivery: Delivery): Look {
  const { status, cause, settled, paused } = delivery
  const look = { ...LOOKS[status], word: statusWord(delivery) }
  if (status === 'failed' && settled !== null) return { ...look, tone: SETTLED_LOOK.tone }
  if (status === 'scheduled' && paused !== null) return { ...look, tone: 'held', Icon: BLOCKED_ICONS.paused }
  return status === 'blocked' && cause !== null ? { ...look, Icon: BLOCKED_ICONS[cause] } : look
}

/** A delivery's status as icon, word and colour; never as colour alone. */
export const DeliveryBadge = ({ of: delivery }: { of: Delivery }) => <Badge {...lookOf(delivery)} />

/** A status without a delivery, as the help explains it. */
export const Status = ({ status }: { status: DeliveryStatus }) => <Badge {...statusLook(status)} />

/** The same look for other states, such as an account's health. */
export function Badge({ tone, Icon, word }: Look) {
  return (
    <span className={classes.status} style={{ color: `var(--r-${tone})` }}>
      <Icon {...ICON} size={16} />
      {word}
    </span>
  )
}
