import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { IconPencil, IconPlayerPause, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Brand } from '#contract/brands.ts'
import { QUEUES_PER_BRAND_MAX } from '#contract/limits.ts'
import type { Queue } from '#contract/planning/queues.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_QUEUES, queuesQuery } from '#web/api/planning.ts'
import { queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { Badge } from '#web/ui/status.tsx'
import { PauseButton } from './pause-button.tsx'
import classes from './planning.module.css'
import { QueueEditor } from './schedule-editor.tsx'
import { slotsText } from './slots.ts'
import { ZoneField } from './zone-field.tsx'

/** How a brand is planned: its time zone and its queues. */
export function PlanningPanel({ brand }: { brand: Brand }) {
  const queues = useQuery(queuesQuery)
  switch (queues.status) {
    case 'pending':
      return <RowsSkeleton height={56} />
    case 'error':
      return <QueryError query={queues}>{messageOf(queues.error, TEXTS.unknownError)}</QueryError>
    case 'success': {
      const own = queues.data.filter(({ brand_id }) => brand_id === brand.brand_id)
      return (
        <section className={classes.panel} aria-label={`Planning of ${brand.title}`}>
          <ZoneField brand={brand} waiting={own.reduce((sum, { waiting }) => sum + waiting, 0)} />
          <div className={classes.part}>
            <h2 className={classes.label}>Posting</h2>
            <Group component="p" gap="0.25rem 0.5rem" fw={400}>
              {brand.paused ? 'Paused: posts wait until you resume it.' : 'On'}
              <PauseButton of={{ brandId: brand.brand_id }} name={brand.title} paused={brand.paused} wide />
            </Group>
          </div>
          <Queues brand={brand} queues={own} />
        </section>
      )
    }
  }
}

function Queues({ brand, queues }: { brand: Brand; queues: Parameters<typeof QueueRow>[0]['queue'][] }) {
  const [isAdding, setAdding] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  const end = () => {
    flushSync(() => setAdding(false))
    add.current?.focus()
  }
  return (
    <div className={classes.part}>
      <h2 className={classes.label}>Queues</h2>
      {queues.length === 0 && !isAdding && (
        <Text c="dimmed" size="xs" fw={400}>
          A queue has weekly slots, such as Tuesday and Thursday at 18:00. A new post takes the next free one.
        </Text>
      )}
      {queues.length > 0 && (
        <ul className={classes.queues} aria-label={`Queues of ${brand.title}`}>
          {queues.map((queue) => (
            <QueueRow key={queue.queue_id} brand={brand} queue={queue} />
          ))}
        </ul>
      )}
      {isAdding ? (
        <QueueEditor brand={brand} queue={null} onEnd={end} />
      ) : (
        queues.length < QUEUES_PER_BRAND_MAX && (
          <Button
            ref={add}
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus {...ICON} size={16} />}
            onClick={() => setAdding(true)}
          >
            New queue
          </Button>
        )
      )}
    </div>
  )
}

type QueueRowProps = { brand: Brand; queue: Queue }

/** One queue: shown, being edited, or about to be deleted. */
function QueueRow({ brand, queue }: QueueRowProps) {
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
        <QueueEditor key={queue.version} brand={brand} queue={queue} onEnd={endEdit} />
      </li>
    )
  return (
    <li>
      <Group wrap="nowrap" gap="xs">
        <Stack gap={0} flex={1} miw={0}>
          <Group component="span" align="stretch" gap="0 0.625rem">
            <Text span fw={600}>
              {queue.name}
            </Text>
            {queue.paused && <Badge tone="held" Icon={IconPlayerPause} word="Paused" />}
          </Group>
          <Text span c="dimmed" size="xs" fw={400}>
            {slotsText(queue.slots)}
            {queue.jitter_minutes > 0 && ` · up to ${queue.jitter_minutes} min later`}
            {` · ${queue.waiting === 0 ? 'empty' : counted(queue.waiting, 'post')}`}
          </Text>
        </Stack>
        <Group gap={0} wrap="nowrap" c="dimmed">
          <PauseButton of={{ queueId: queue.queue_id }} name={queue.name} paused={queue.paused} />
          <ActionIcon
            ref={edit}
            aria-label={`Edit ${queue.name}`}
            title={`Edit ${queue.name}`}
            onClick={() => setMode('edited')}
          >
            <IconPencil {...ICON} />
          </ActionIcon>
          <ActionIcon
            ref={remove}
            aria-label={`Delete ${queue.name}`}
            title={`Delete ${queue.name}`}
            onClick={() => setMode('deleted')}
          >
            <IconTrash {...ICON} />
          </ActionIcon>
        </Group>
      </Group>
      {mode === 'deleted' && <DeleteQueue queue={queue} asker={remove} onKeep={() => setMode('shown')} />}
    </li>
  )
}

type DeleteProps = { queue: Queue; asker: RefObject<HTMLButtonElement | null>; onKeep: () => void }

function DeleteQueue({ queue, asker, onKeep }: DeleteProps) {
  const remove = useMutation({
    mutationFn: () => call('deleteQueue', { params: { queueId: queue.queue_id } }),
    onSuccess: () => {
      announce({ kind: 'done', message: `${queue.name} is deleted.` })
      return queryClient.invalidateQueries(ANY_QUEUES)
    },
  })
  const kept =
    queue.waiting === 0
      ? ''
      : queue.waiting === 1
        ? 'Its post keeps its time.'
        : 'Its posts keep their times.'
  return (
    <Confirm
      question={
        <>
          <strong>Delete {queue.name}?</strong> {kept}
        </>
      }
      action="Delete queue"
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}
