import { Button, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Brand } from '#contract/brands.ts'
import { QUEUES_PER_BRAND_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { queuesQuery } from '#web/api/planning.ts'
import { ICON } from '#web/ui/icons.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PauseButton } from './pause-button.tsx'
import { QueueEditor } from './schedule-editor.tsx'
import { QueueRow } from './schedule-row.tsx'
import { ZoneField } from './zone-field.tsx'
import classes from './planning.module.css'

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
