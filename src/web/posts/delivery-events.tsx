import type { DeliveryId } from '#contract/ids.ts'
import type { PostDetail } from '#contract/posts.ts'
import { dayOf, exactTime, secondOfDay } from '#web/lib/moments.ts'
import classes from './timeline.module.css'

type Props = { detail: PostDetail; of: DeliveryId; zone: string }

/** The events of one delivery in order; a day is named where it begins. */
export const DeliveryEvents = ({ detail, of, zone }: Props) => (
  <ol className={classes.events}>
    {detail.events
      .filter(({ delivery_id }) => delivery_id === of)
      .map(({ event_id, at, message }, position, all) => (
        <li key={event_id} className={classes.event}>
          <time dateTime={at}>
            {isNewDay(at, all[position - 1]?.at, zone) ? exactTime(at, zone) : secondOfDay(at, zone)}
          </time>
          <span>{message}</span>
        </li>
      ))}
  </ol>
)

const isNewDay = (at: string, before: string | undefined, zone: string): boolean =>
  before === undefined || dayOf(at, zone) !== dayOf(before, zone)
