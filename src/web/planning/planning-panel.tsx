import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Brand } from '#contract/brands.ts'
import { SCHEDULES_PER_BRAND_MAX } from '#contract/limits.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_SCHEDULES, schedulesQuery } from '#web/api/planning.ts'
import { queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { PauseButton, PausedBadge } from '#web/posts/pause-button.tsx'
import { Part } from './part.tsx'
import classes from './planning.module.css'
import { ScheduleEditor } from './schedule-editor.tsx'
import { slotsText } from './slots.ts'
import { ZoneField } from './zone-field.tsx'

/** How a brand is planned: its time zone and its posting schedules. */
export function PlanningPanel({ brand }: { brand: Brand }) {
  const schedules = useQuery(schedulesQuery)
  switch (schedules.status) {
    case 'pending':
      return <RowsSkeleton height={56} />
    case 'error':
      return <QueryError query={schedules}>{messageOf(schedules.error, TEXTS.unknownError)}</QueryError>
    case 'success': {
      const own = schedules.data.filter(({ brand_id }) => brand_id === brand.brand_id)
      return (
        <Stack
          component="section"
          gap="1.25rem"
          pt="0.25rem"
          pb="xs"
          fw={400}
          aria-label={`Planning of ${brand.title}`}
        >
          <ZoneField brand={brand} waiting={own.reduce((sum, { waiting }) => sum + waiting, 0)} />
          <Part title="Posting">
            <Group component="p" gap="0.25rem 0.5rem">
              {brand.paused ? 'Paused: posts wait until you resume it.' : 'On'}
              <PauseButton of={{ brandId: brand.brand_id }} name={brand.title} paused={brand.paused} wide />
            </Group>
          </Part>
          <Schedules brand={brand} schedules={own} />
        </Stack>
      )
    }
  }
}

function Schedules({
  brand,
  schedules,
}: {
  brand: Brand
  schedules: Parameters<typeof ScheduleRow>[0]['schedule'][]
}) {
  const [isAdding, setAdding] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  const end = () => {
    flushSync(() => setAdding(false))
    add.current?.focus()
  }
  return (
    <Part title="Posting schedules">
      {schedules.length === 0 && !isAdding && (
        <Text c="dimmed" size="xs">
          A posting schedule has weekly slots, such as Tuesday and Thursday at 18:00. A new post takes the
          next free one.
        </Text>
      )}
      {schedules.length > 0 && (
        <ul className={classes.schedules} aria-label={`Posting schedules of ${brand.title}`}>
          {schedules.map((schedule) => (
            <ScheduleRow key={schedule.schedule_id} brand={brand} schedule={schedule} />
          ))}
        </ul>
      )}
      {isAdding ? (
        <ScheduleEditor brand={brand} schedule={null} onEnd={end} />
      ) : (
        schedules.length < SCHEDULES_PER_BRAND_MAX && (
          <Button
            ref={add}
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus {...ICON} size={16} />}
            onClick={() => setAdding(true)}
          >
            New posting schedule
          </Button>
        )
      )}
    </Part>
  )
}

type ScheduleRowProps = { brand: Brand; schedule: Schedule }

/** One posting schedule: shown, being edited, or about to be deleted. */
function ScheduleRow({ brand, schedule }: ScheduleRowProps) {
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const edit = useRef<HTMLButtonElement>(null)
  const remove = useRef<HTMLButtonElement>(null)
  const endEdit = () => {
    flushSync(() => setMode('shown'))
    edit.current?.focus()
  }
  if (mode === 'edited')
    return (
      <li>
        {/* A version that another tab has saved starts the form anew. */}
        <ScheduleEditor key={schedule.version} brand={brand} schedule={schedule} onEnd={endEdit} />
      </li>
    )
  return (
    <li>
      <Group wrap="nowrap" gap="xs">
        <Stack gap={0} flex={1} miw={0}>
          <Group component="span" align="stretch" gap="0 0.625rem">
            <Text span fw={600} dir="auto">
              {schedule.name}
            </Text>
            {schedule.paused && <PausedBadge until={schedule.paused_until} />}
          </Group>
          <Text span c="dimmed" size="xs">
            {slotsText(schedule.slots)}
            {schedule.jitter_minutes > 0 && ` · up to ${schedule.jitter_minutes} min later`}
            {` · ${schedule.waiting === 0 ? 'empty' : counted(schedule.waiting, 'post')}`}
          </Text>
        </Stack>
        <Group gap={0} wrap="nowrap" c="dimmed">
          <PauseButton
            of={{ scheduleId: schedule.schedule_id }}
            name={schedule.name}
            paused={schedule.paused}
          />
          <ActionIcon
            ref={edit}
            aria-label={`Edit ${schedule.name}`}
            title={`Edit ${schedule.name}`}
            onClick={() => setMode('edited')}
          >
            <IconPencil {...ICON} />
          </ActionIcon>
          <ActionIcon
            ref={remove}
            aria-label={`Delete ${schedule.name}`}
            title={`Delete ${schedule.name}`}
            onClick={() => setMode('deleted')}
          >
            <IconTrash {...ICON} />
          </ActionIcon>
        </Group>
      </Group>
      {mode === 'deleted' && (
        <DeleteSchedule schedule={schedule} asker={remove} onKeep={() => setMode('shown')} />
      )}
    </li>
  )
}

type DeleteProps = { schedule: Schedule; asker: RefObject<HTMLButtonElement | null>; onKeep: () => void }

function DeleteSchedule({ schedule, asker, onKeep }: DeleteProps) {
  const remove = useMutation({
    mutationFn: () => call('deleteSchedule', { params: { scheduleId: schedule.schedule_id } }),
    onSuccess: () => {
      announce({ kind: 'done', message: `${schedule.name} is deleted.` })
      return queryClient.invalidateQueries(ANY_SCHEDULES)
    },
  })
  const kept =
    schedule.waiting === 0
      ? ''
      : schedule.waiting === 1
        ? 'Its post keeps its time.'
        : 'Its posts keep their times.'
  return (
    <Confirm
      question={
        <>
          <strong>
            Delete <bdi>{schedule.name}</bdi>?
          </strong>{' '}
          {kept}
        </>
      }
      action="Delete schedule"
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}
