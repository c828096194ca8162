import { Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { readLocal, whyNotAt } from '#domain/schedule/schedule.ts'
import { zoneName } from '#web/lib/moments.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { DayAndTime } from '#web/ui/day-and-time.tsx'

type Props = {
  /** On the clock of the page, such as `2026-12-24T18:30`. */
  local: string
  /** `Plan`: it has no time yet. */
  verb: 'Move' | 'Plan'
  zone: string
  onMove: (at: number) => void
  onClose: () => void
}

export default function MoveDialog({ local, verb, zone, onMove, onClose }: Props) {
  const [day, setDay] = useState(local.slice(0, 10))
  const [time, setTime] = useState(local.slice(11))
  const [problem, setProblem] = useState<string | null>(null)
  const read = readLocal(`${day}T${time}`, zone)
  const submit = () => {
    if (read === null) return setProblem('Choose a date and a time.')
    const wrong = whyNotAt(read.at, serverNow())
    if (wrong !== null) return setProblem(wrong)
    onMove(read.at)
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={verb === 'Move' ? 'Move to' : 'Plan for'}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <DayAndTime day={day} time={time} onDay={setDay} onTime={setTime} hasError={problem !== null} />
        <Text component="output" display="block" mt="sm" c={problem === null ? 'dimmed' : 'var(--r-failed)'}>
          {problem ?? `${zoneName(zone)} time.${GAPS[read?.kind ?? 'plain']}`}
        </Text>
        <Group align="stretch" justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">{verb}</Button>
        </Group>
      </form>
    </Modal>
  )
}

const GAPS = {
  plain: '',
  skipped: ' Clocks go forward over this time: the same time after that is used.',
  repeated: ' Clocks show this time twice: the first is used.',
} as const
