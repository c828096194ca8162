import {
  IconAlertTriangle,
  IconCalendarClock,
  IconCheck,
  IconCircleX,
  IconClock,
  IconHistory,
  IconHourglass,
  IconInbox,
  IconLinkOff,
  IconLoader,
  IconMinus,
  IconUpload,
  type Icon,
} from '@tabler/icons-react'
import type { BlockedCause, Delivery, DeliveryStatus } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { percent } from '#web/lib/format/amounts.ts'
import { ICON } from './icons.tsx'
import classes from './status.module.css'

/** The colours of a status; each has one meaning everywhere. */
export type Tone = 'draft' | 'scheduled' | 'working' | 'published' | 'attention' | 'held' | 'failed'

export type Look = { readonly word: string; readonly tone: Tone; readonly Icon: Icon }

const LOOKS: Record<DeliveryStatus, Look> = {
  scheduled: { word: 'Scheduled', tone: 'scheduled', Icon: IconCalendarClock },
  preparing: { word: 'Uploading', tone: 'working', Icon: IconUpload },
  committing: { word: 'Publishing', tone: 'working', Icon: IconLoader },
  processing: { word: 'Processing', tone: 'working', Icon: IconClock },
  published: { word: 'Published', tone: 'published', Icon: IconCheck },
  in_inbox: { word: 'In the inbox', tone: 'scheduled', Icon: IconInbox },
  failed: { word: 'Failed', tone: 'failed', Icon: IconCircleX },
  blocked: { word: 'Held', tone: 'held', Icon: IconHourglass },
  unconfirmed: { word: 'Unconfirmed', tone: 'attention', Icon: IconAlertTriangle },
  cancelled: { word: 'Cancelled', tone: 'draft', Icon: IconMinus },
}

const BLOCKED_LOOKS: Record<BlockedCause, Pick<Look, 'word' | 'Icon'>> = {
  account: { word: 'Held: link again', Icon: IconLinkOff },
  limit: { word: 'Held: limit reached', Icon: IconHourglass },
  missed: { word: 'Missed', Icon: IconAlertTriangle },
  paused: { word: 'Paused', Icon: IconHourglass },
  restored: { word: 'Held after a restore', Icon: IconHistory },
}

/** A failure that needs nobody any more. */
export const SETTLED_LOOK: Look = { ...LOOKS.failed, tone: 'draft' }

/** The look of a status by itself. */
export const statusLook = (status: DeliveryStatus): Look => LOOKS[status]

/** The look of a delivery, with details beyond its status: "Uploading 62 %". */
function lookOf({ status, platform, progress, cause, settled, to_inbox }: Delivery): Look {
  const look = LOOKS[status]
  switch (status) {
    case 'preparing':
      return progress === null
        ? look
        : { ...look, word: `Uploading ${percent(progress.sent, progress.total)} %` }
    case 'processing':
      return { ...look, word: `${PLATFORM_NAMES[platform]} is processing` }
    case 'blocked':
      return cause === null ? look : { ...look, ...BLOCKED_LOOKS[cause] }
    case 'committing':
      return to_inbox ? { ...look, word: 'Sending' } : look
    case 'in_inbox':
      return { ...look, word: `In the ${PLATFORM_NAMES[platform]} inbox` }
    case 'failed':
      return settled === null ? look : { ...SETTLED_LOOK, word: `Failed: ${settled.kind}` }
    case 'scheduled':
    case 'published':
    case 'unconfirmed':
    case 'cancelled':
      return look
  }
}

/** The word for a delivery: "Uploading 62 %". */
export const statusWord = (delivery: Delivery): string => lookOf(delivery).word

/** A delivery's status as icon, word and colour; never as colour alone. */
export const DeliveryBadge = ({ of: delivery }: { of: Delivery }) => <Badge {...lookOf(delivery)} />

/** A status without a delivery, as the help explains it. */
export const Status = ({ status }: { status: DeliveryStatus }) => <Badge {...LOOKS[status]} />

/** The same look for other states, such as an account's health. */
export function Badge({ tone, Icon, word }: Look) {
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon {...ICON} size={16} />
      {word}
    </span>
  )
}
