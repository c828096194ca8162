import { NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { QueueId } from '#contract/ids.ts'
import type { QueuePlace } from '#contract/posts.ts'
import { zoneName } from '#web/lib/format/moments.ts'
import type { QueueChoice } from './use-when.ts'
import { shortTime } from './when.ts'
import classes from './when.module.css'

type Props = {
  choice: QueueChoice
  /** By its id. */
  brands: ReadonlyMap<number, string>
  problem: string | null
  disabled: boolean
  now: number
}

const PLACES: readonly { value: QueuePlace['place']; label: string }[] = [
  { value: 'next', label: 'Next free slot' },
  { value: 'top', label: 'Top of the queue' },
  { value: 'bottom', label: 'End of the queue' },
]

/** Which queue, where in it, and when that is. */
export default function QueueFields({ choice, brands, problem, disabled, now }: Props) {
  const { queues, place, set } = choice
  const below = useId()
  const isOffered = queues.some(({ queue_id }) => queue_id === place.queue_id)
  const several = new Set(queues.map(({ brand_id }) => brand_id)).size > 1
  const error = problem !== null
  return (
    <div className={classes.time}>
      <div className={classes.fields}>
        <NativeSelect
          aria-label="Queue"
          data={[
            ...(isOffered ? [] : [{ value: '', label: 'Choose a queue' }]),
            ...queues.map(({ queue_id, brand_id, name, paused }) => ({
              value: String(queue_id),
              label: [several && brands.get(brand_id), name, paused && 'paused'].filter(Boolean).join(' · '),
            })),
          ]}
          value={isOffered ? String(place.queue_id) : ''}
          onChange={({ currentTarget: { value } }) => {
            const queueId = QueueId.safeParse(Number(value))
            if (queueId.success) set({ ...place, queue_id: queueId.data })
          }}
          error={error}
          aria-describedby={below}
          disabled={disabled}
        />
        <NativeSelect
          aria-label="Place in the queue"
          data={[...PLACES]}
          value={place.place}
          onChange={({ currentTarget: { value } }) => {
            const found = PLACES.find((one) => one.value === value)
            if (found) set({ ...place, place: found.value })
          }}
          aria-describedby={below}
          disabled={disabled}
        />
      </div>
      <p id={below} className={classes.below} data-error={error || undefined}>
        {problem ?? <WhenThatIs choice={choice} now={now} />}
      </p>
    </div>
  )
}

function WhenThatIs({ choice: { queues, place, free }, now }: { choice: QueueChoice; now: number }) {
  const queue = queues.find(({ queue_id }) => queue_id === place.queue_id)
  const paused = queue?.paused === true && 'This queue is paused: its posts wait until you resume it. '
  const inZone = queue ? `${zoneName(queue.timezone)} time.` : ''
  switch (place.place) {
    case 'next': {
      const [first, ...then] = (free ?? []).map(({ at, timezone }) => shortTime(at, timezone, now))
      if (first === undefined) return paused
      return (
        <>
          {paused}
          <strong>{first}</strong>
          {then.length > 0 && `, then ${then.join(', ')}`}. {inZone}
        </>
      )
    }
    case 'top':
      return (
        <>
          {paused}Before everything that waits: the posts in this queue move one slot back. {inZone}
        </>
      )
    case 'bottom':
      return (
        <>
          {paused}After everything that waits in this queue. {inZone}
        </>
      )
  }
}
