import { Progress } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useState } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { formatBytesOf, percent, formatDuration } from '#web/lib/amounts.ts'
import { ICON } from '#web/ui/icons.tsx'
import { timeOfDay } from '#web/lib/moments.ts'
import { Handle } from '#web/platforms/platform-name.tsx'
import { DeliveryBadge } from '#web/ui/status.tsx'
import classes from './post-list.module.css'

type Props = { delivery: Delivery; zone: string; now: number }

/** One account of a post: its name, its status and one more detail. */
export function DeliveryLine({ delivery, zone, now }: Props) {
  return (
    <li className={classes.delivery}>
      <Handle of={delivery} />
      <span className={classes.status}>
        <DeliveryBadge of={delivery} />
      </span>
      <span className={classes.aside}>{formatAside({ delivery, zone, now })}</span>
    </li>
  )
}

function formatAside({ delivery, zone, now }: Props) {
  const { status, progress, reason, cause, url, platform, due_at, published_at, in_inbox_at, updated_at } =
    delivery
  switch (status) {
    case 'preparing':
      if (reason !== null) return nextTry(due_at, now)
      return progress !== null && <Sent progress={progress} at={updated_at} name={accountName(delivery)} />
    case 'scheduled': {
      if (reason?.pause) return nextTry(due_at, now)
      const left = due_at === null ? 0 : Date.parse(due_at) - now
      return left > 0 ? `in ${formatDuration(left / 1000)}` : 'starting now'
    }
    case 'blocked':
      return cause === 'missed' || cause === 'restored' ? null : nextTry(due_at, now)
    case 'published':
      return url !== null ? (
        <a href={url} target="_blank" rel="noreferrer" className={classes.open}>
          Open on {PLATFORM_NAMES[platform]}
          <IconExternalLink {...ICON} size={14} />
        </a>
      ) : (
        published_at !== null && `at ${timeOfDay(published_at, zone)}`
      )
    case 'in_inbox':
      return in_inbox_at !== null && `since ${timeOfDay(in_inbox_at, zone)}`
    case 'committing':
    case 'processing':
    case 'failed':
    case 'unconfirmed':
    case 'cancelled':
      return null
  }
}

const nextTry = (due: string | null, now: number): string | null =>
  due !== null && Date.parse(due) > now
    ? `next try in ${formatDuration((Date.parse(due) - now) / 1000)}`
    : null

type SentProps = { progress: { sent: number; total: number }; at: string; name: string }

/** Upload progress, and the time left at the speed measured since this line was first shown. */
function Sent({ progress: { sent, total }, at, name }: SentProps) {
  const [first] = useState({ sent, at })
  const seconds = (Date.parse(at) - Date.parse(first.at)) / 1000
  const perSecond = seconds > 0 ? (sent - first.sent) / seconds : 0
  return (
    <>
      <Progress
        value={percent(sent, total)}
        size={4}
        color="var(--r-working)"
        className={classes.bar ?? ''}
        aria-label={`Sent for ${name}`}
      />
      {formatBytesOf(sent, total)}
      {perSecond > 0 && sent < total && ` · ${formatDuration((total - sent) / perSecond)}`}
    </>
  )
}
