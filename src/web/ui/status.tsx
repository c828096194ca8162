import {
  IconAlertTriangle,
  IconCalendarClock,
  IconCheck,
  IconCircleX,
  IconClock,
  IconLinkOff,
  IconLoader,
  IconMinus,
  IconUpload,
  type Icon,
} from '@tabler/icons-react'
import type { Delivery, DeliveryStatus } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { percent } from './amounts.ts'
import { ICON } from './icons.tsx'
import classes from './status.module.css'

/** The colours that a status may have; each means one thing everywhere. */
export type Tone = 'draft' | 'scheduled' | 'working' | 'published' | 'attention' | 'held' | 'failed'

const LOOKS: Record<DeliveryStatus, { word: string; tone: Tone; Icon: Icon }> = {
  scheduled: { word: 'Scheduled', tone: 'scheduled', Icon: IconCalendarClock },
  preparing: { word: 'Uploading', tone: 'working', Icon: IconUpload },
  committing: { word: 'Publishing', tone: 'working', Icon: IconLoader },
  processing: { word: 'Processing', tone: 'working', Icon: IconClock },
  published: { word: 'Published', tone: 'published', Icon: IconCheck },
  failed: { word: 'Failed', tone: 'failed', Icon: IconCircleX },
  blocked: { word: 'Held', tone: 'held', Icon: IconLinkOff },
  unconfirmed: { word: 'Unconfirmed', tone: 'attention', Icon: IconAlertTriangle },
  cancelled: { word: 'Cancelled', tone: 'draft', Icon: IconMinus },
}

type Props = {
  status: DeliveryStatus
  /** Where the place can say more than the plain word: see `statusWord`. */
  word?: string
}

/** The word for a delivery, as far as more is known than its state: "Uploading 62 %". */
export function statusWord({ status, platform, progress, actions }: Delivery): string {
  switch (status) {
    case 'preparing':
      return progress === null ? 'Uploading' : `Uploading ${percent(progress.sent, progress.total)} %`
    case 'processing':
      return `${PLATFORM_NAMES[platform]} is processing`
    case 'blocked':
      return actions.includes('link_again') ? 'Held: link again' : 'Held: limit reached'
    case 'scheduled':
    case 'committing':
    case 'published':
    case 'failed':
    case 'unconfirmed':
    case 'cancelled':
      return LOOKS[status].word
  }
}

/** What became of a delivery: icon, word and colour, never the colour alone. */
export function Status({ status, word }: Props) {
  const look = LOOKS[status]
  return <Badge tone={look.tone} Icon={look.Icon} word={word ?? look.word} />
}

/** The same look for anything else that has a state, such as an account's health. */
export function Badge({ tone, Icon, word }: { tone: Tone; Icon: Icon; word: string }) {
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon {...ICON} size={16} />
      {word}
    </span>
  )
}
