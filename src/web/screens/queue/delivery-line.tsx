import { Progress } from '@mantine/core'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { bytesOf, percent, span } from '#web/ui/amounts.ts'
import { timeOfDay } from '#web/ui/moments.ts'
import { Handle } from '#web/ui/platform-name.tsx'
import { Status, statusWord } from '#web/ui/status.tsx'
import classes from './queue.module.css'

type Props = { delivery: Delivery; zone: string; now: number }

/** One account of a post: who, what became of it, and one more thing that is worth knowing. */
export function DeliveryLine({ delivery, zone, now }: Props) {
  return (
    <li className={classes.delivery}>
      <Handle platform={delivery.platform} username={delivery.username} />
      <span className={classes.status}>
        <Status status={delivery.status} word={statusWord(delivery)} />
      </span>
      <span className={classes.aside}>
        <Aside delivery={delivery} zone={zone} now={now} />
      </span>
    </li>
  )
}

function Aside({
  delivery: { status, progress, url, platform, username, due_at, published_at },
  zone,
  now,
}: Props) {
  switch (status) {
    case 'preparing':
      return (
        progress !== null && (
          <>
            <Progress
              value={percent(progress.sent, progress.total)}
              size={4}
              color="var(--r-working)"
              className={classes.bar ?? ''}
              aria-label={`Sent for @${username}`}
            />
            {bytesOf(progress.sent, progress.total)}
          </>
        )
      )
    case 'scheduled': {
      const left = due_at === null ? 0 : Date.parse(due_at) - now
      return left > 0 ? `in ${span(left / 1000)}` : 'starts now'
    }
    case 'blocked':
      return (
        due_at !== null &&
        Date.parse(due_at) > now &&
        `tried again in ${span((Date.parse(due_at) - now) / 1000)}`
      )
    case 'published':
      return url !== null ? (
        <a href={url} target="_blank" rel="noreferrer" className={classes.open}>
          Open on {PLATFORM_NAMES[platform]}
        </a>
      ) : (
        published_at !== null && `at ${timeOfDay(published_at, zone)}`
      )
    case 'committing':
    case 'processing':
    case 'failed':
    case 'unconfirmed':
    case 'cancelled':
      return null
  }
}
