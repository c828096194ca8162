import { NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { QueueId } from '#contract/ids.ts'
import { knownZone, zoneName } from '#web/lib/moments.ts'
import type { QueueChoice } from './use-when.ts'
import { shortTime, slotText } from './when.ts'
import classes from './when.module.css'

type Props = {
  choice: QueueChoice
  /** By its id. */
  brands: ReadonlyMap<number, string>
  problem: string | null
  disabled: boolean
  now: number
}

const PLACES = [
  { value: 'next', label: 'Next free slot' },
  { value: 'top', label: 'Top of the queue' },
  { value: 'bottom', label: 'End of the queue' },
] as const

/** Which queue, where in it, and when that is. */
export function QueueFields({ choice, brands, problem, disabled, now }: Props) {
  const { queues, place, slot, set } = choice
  const below = useId()
  const isOffered = queues.some(({ queue_id }) => queue_id === place.queue_id)
  const several = new Set(queues.map(({ brand_id }) => brand_id)).size > 1
  const error = problem !== null
  // What is wrong with a slot is said of its place, not of the queue.
  const isPlaceWrong = error && isOffered && place.place === 'slot'
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
            if (!queueId.success) return
            // A slot is of its own queue.
            if (place.place === 'slot') set({ queue_id: queueId.data, place: 'next' })
            else set({ ...place, queue_id: queueId.data })
          }}
          error={error && !isPlaceWrong}
          aria-describedby={below}
          disabled={disabled}
        />
        <NativeSelect
          aria-label="Place in the queue"
          data={[
            ...(slot?.queue_id === place.queue_id
              ? [{ value: 'slot', label: slotText(slot.slot.local) }]
              : []),
            ...PLACES,
          ]}
          value={place.place}
          onChange={({ currentTarget: { value } }) => {
            const found = PLACES.find((one) => one.value === value)
            if (found) set({ queue_id: place.queue_id, place: found.value })
            else if (slot) set(slot)
          }}
          error={isPlaceWrong}
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

function WhenThatIs({ choice, now }: { choice: QueueChoice; now: number }) {
  const { queues, place, free, placements } = choice
  const queue = queues.find(({ queue_id }) => queue_id === place.queue_id)
  const paused = queue?.paused === true && 'This queue is paused: its posts wait until you resume it. '
  const inZone = queue ? `${zoneName(knownZone(queue.timezone))} time.` : ''
  switch (place.place) {
    case 'next': {
      const [first, ...then] = (free ?? []).map(({ at, timezone }) => shortTime(at, timezone, now))
      if (first === undefined) return <>{paused}</>
      return (
        <>
          {paused}
          <strong>{first}</strong>
          {then.length > 0 && `, then ${then.join(', ')}`}. {inZone}
        </>
      )
    }
    case 'slot':
      return (
        <>
          {paused}
          <strong>
            {[slotText(place.slot.local), queue?.name].filter((part) => part !== undefined).join(' · ')}
          </strong>
          . {inZone}
        </>
      )
    case 'top': {
      const placement = placements?.top
      if (!placement || !queue) return <>{paused}</>
      return (
        <>
          {paused}
          <strong>{shortTime(placement.at, queue.timezone, now)}</strong>, before everything that waits.{' '}
          {makingRoom(placement.moves.length)} {inZone}
        </>
      )
    }
    case 'bottom': {
      const placement = placements?.bottom
      if (!placement || !queue) return <>{paused}</>
      return (
        <>
          {paused}
          <strong>{shortTime(placement.at, queue.timezone, now)}</strong>, after everything that waits. No
          other post moves. {inZone}
        </>
      )
    }
  }
}

const makingRoom = (posts: number): string => {
  if (posts === 0) return 'No other post moves.'
  return posts === 1 ? '1 post moves to a later slot.' : `${posts} posts move to later slots.`
}
