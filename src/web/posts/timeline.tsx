import { Box, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DeliveryId } from '#contract/ids.ts'
import type { Post, PostDetail } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { postQuery } from '#web/api/queries.ts'
import { formatBytes } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayOf, exactTime, secondOfDay } from '#web/lib/moments.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import classes from './posts.module.css'

type Props = { post: Post; zone: string; Heading: 'h4' | 'h5'; onClose: () => void }

export function Timeline({ post, zone, Heading, onClose }: Props) {
  const detail = useQuery(postQuery(post.post_id))
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={classes.timeline}>
      <Group wrap="nowrap" gap="sm">
        <Heading ref={heading} tabIndex={-1}>
          Timeline
        </Heading>
        <Text span flex={1} miw={0} c="dimmed" size="xs" truncate>
          <bdi>{post.video.filename}</bdi> · {formatBytes(post.video.size)}
        </Text>
        <Button size="xs" variant="subtle" onClick={onClose}>
          Close
        </Button>
      </Group>
      {detail.status === 'pending' && (
        <Delayed>
          <output>Loading</output>
        </Delayed>
      )}
      {detail.status === 'error' && <InlineAlert>{messageOf(detail.error, TEXTS.unknownError)}</InlineAlert>}
      {detail.status === 'success' && <Events detail={detail.data} zone={zone} />}
    </div>
  )
}

const Events = ({ detail, zone }: { detail: PostDetail; zone: string }) =>
  detail.deliveries.map((delivery) => (
    <div key={delivery.delivery_id}>
      <Box component="p" mt="xs" mb="0.25rem">
        <AccountName of={delivery} />
      </Box>
      <DeliveryEvents detail={detail} of={delivery.delivery_id} zone={zone} />
    </div>
  ))

type DeliveryEventsProps = { detail: PostDetail; of: DeliveryId; zone: string }

/** The events of one delivery in order; a day is named where it begins. */
export const DeliveryEvents = ({ detail, of, zone }: DeliveryEventsProps) => (
  <ol className={classes.events}>
    {detail.events
      .filter(({ delivery_id }) => delivery_id === of)
      .map(({ event_id, at, message }, position, all) => (
        <li key={event_id}>
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
