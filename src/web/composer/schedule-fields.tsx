import { Box, NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { ScheduleId } from '#contract/ids.ts'
import { useOwnZone } from '#web/ui/zone.tsx'
import { dayAndTime, knownZone, localDayAndTime, zoneName } from '#web/lib/moments.ts'
import type { ScheduleChoice } from './use-schedule-choice.ts'
import { shortTime } from './when.ts'
import classes from './publish.module.css'

type Props = {
  choice: ScheduleChoice
  /** By its id. */
  brands: ReadonlyMap<number, string>
  problem: string | null
  disabled: boolean
  now: number
}

const PLACES = [
  { value: 'next', label: 'Next free slot' },
  { value: 'top', label: 'At the top' },
  { value: 'bottom', label: 'At the end' },
] as const

/** Which posting schedule, where in it, and when that is. */
export function ScheduleFields({ choice, brands, problem, disabled, now }: Props) {
  const { schedules, place, slot, set } = choice
  const below = useId()
  const isOffered = schedules.some(({ schedule_id }) => schedule_id === place.schedule_id)
  const several = new Set(schedules.map(({ brand_id }) => brand_id)).size > 1
  const error = problem !== null
  // An error of a slot is shown at its place, not at the schedule.
  const isPlaceWrong = error && isOffered && place.place === 'slot'
  return (
    <Box miw={0}>
      <div className={classes.fields}>
        <NativeSelect
          aria-label="Posting schedule"
          data-autofocus={(error && !isPlaceWrong) || undefined}
          data={[
            ...(isOffered ? [] : [{ value: '', label: 'Choose a posting schedule' }]),
            ...schedules.map(({ schedule_id, brand_id, name, paused }) => ({
              value: String(schedule_id),
              label: [several && brands.get(brand_id), name, paused && 'paused'].filter(Boolean).join(' · '),
            })),
          ]}
          value={isOffered ? String(place.schedule_id) : ''}
          onChange={({ currentTarget: { value } }) => {
            const scheduleId = ScheduleId.safeParse(Number(value))
            if (!scheduleId.success) return
            // A slot is of its own schedule.
            if (place.place === 'slot') set({ schedule_id: scheduleId.data, place: 'next' })
            else set({ ...place, schedule_id: scheduleId.data })
          }}
          error={error && !isPlaceWrong}
          aria-describedby={below}
          disabled={disabled}
        />
        <NativeSelect
          aria-label="Place in the schedule"
          data-autofocus={isPlaceWrong || undefined}
          data={[
            ...(slot?.schedule_id === place.schedule_id
              ? [{ value: 'slot', label: localDayAndTime(slot.slot.local) }]
              : []),
            ...PLACES,
          ]}
          value={place.place}
          onChange={({ currentTarget: { value } }) => {
            const found = PLACES.find((one) => one.value === value)
            if (found) set({ schedule_id: place.schedule_id, place: found.value })
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
    </Box>
  )
}

function WhenThatIs({ choice, now }: { choice: ScheduleChoice; now: number }) {
  const { schedules, place, free, placements } = choice
  const clock = { zone: useOwnZone(), now }
  const schedule = schedules.find(({ schedule_id }) => schedule_id === place.schedule_id)
  const paused =
    schedule?.paused === true &&
    `This schedule is paused: its posts wait until ${endOf(schedule.paused_until, clock.zone)}. `
  const inZone = schedule ? `${zoneName(knownZone(schedule.timezone))} time.` : ''
  switch (place.place) {
    case 'next': {
      const [first, ...then] = (free ?? []).map((slot) => shortTime(slot, clock))
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
            {[localDayAndTime(place.slot.local), schedule?.name]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </strong>
          . {inZone}
        </>
      )
    case 'top': {
      const placement = placements?.top
      if (!placement || !schedule) return <>{paused}</>
      return (
        <>
          {paused}
          <strong>{shortTime({ at: placement.at, timezone: schedule.timezone }, clock)}</strong>, before
          everything that waits. {makingRoom(placement.moves.length)} {inZone}
        </>
      )
    }
    case 'bottom': {
      const placement = placements?.bottom
      if (!placement || !schedule) return <>{paused}</>
      return (
        <>
          {paused}
          <strong>{shortTime({ at: placement.at, timezone: schedule.timezone }, clock)}</strong>, after
          everything that waits. No other post moves. {inZone}
        </>
      )
    }
  }
}

const endOf = (until: string | null, zone: string): string =>
  until === null ? 'you resume it' : dayAndTime(until, zone)

const makingRoom = (posts: number): string => {
  if (posts === 0) return 'No other post moves.'
  return posts === 1 ? '1 post moves to a later slot.' : `${posts} posts move to later slots.`
}
