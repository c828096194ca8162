import { ActionIcon, Group, Text } from '@mantine/core'
import { IconPencil, IconPlayerPause, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { Brand } from '#contract/brands.ts'
import type { Queue } from '#contract/planning/queues.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_QUEUES } from '#web/api/planning.ts'
import { queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { Badge } from '#web/ui/status.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PauseButton } from './pause-button.tsx'
import { QueueEditor } from './schedule-editor.tsx'
import { slotsText } from './slots.ts'
import classes from './planning.module.css'

type Props = { brand: Brand; queue: Queue }

/** One queue: shown, being edited, or about to be deleted. */
export function QueueRow({ brand, queue }: Props) {
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const edit = useRef<HTMLButtonElement>(null)
  const remove = useRef<HTMLButtonElement>(null)
  const endEdit = () => {
    flushSync(() => setMode('shown'))
    edit.current?.focus()
  }
  if (mode === 'edited')
    return (
      <li className={classes.queue}>
        {/* A version that another tab has saved starts the form anew. */}
        <QueueEditor key={queue.version} brand={brand} queue={queue} onEnd={endEdit} />
      </li>
    )
  return (
    <li className={classes.queue}>
      <Group wrap="nowrap" gap="xs">
        <div className={classes.about}>
          <Group component="span" align="stretch" gap="0 0.625rem">
            <strong>{queue.name}</strong>
            {queue.paused && <Badge tone="held" Icon={IconPlayerPause} word="Paused" />}
          </Group>
          <Text span c="dimmed" size="xs" fw={400}>
            {slotsText(queue.slots)}
            {queue.jitter_minutes > 0 && ` · up to ${queue.jitter_minutes} min later`}
            {` · ${queue.waiting === 0 ? 'empty' : counted(queue.waiting, 'post')}`}
          </Text>
        </div>
        <div className={classes.actions}>
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
        </div>
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
