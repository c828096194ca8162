import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from 'react-router'
import { notificationPath } from '#contract/http/addresses.ts'
import type { Notification } from '#contract/notifications.ts'
import { TEXTS } from '#contract/texts.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { useNow } from '#web/lib/use-now.ts'
import { PATHS } from '#web/lib/paths.ts'
import classes from './settings.module.css'
import { markAsRead, notificationsQuery } from './notification-queries.ts'

/** The user's notifications, latest first. Loaded when first opened. `onGo`: a link was followed. */
export default function NotificationsList({ onGo }: { onGo: () => void }) {
  const title = useId()
  const list = useInfiniteQuery(notificationsQuery)
  const read = useMutation({ mutationFn: markAsRead })
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  const [latest] = items
  return (
    <section aria-labelledby={title}>
      <Group justify="space-between" gap="xs" mih="3rem" p="0.5rem 0.5rem 0.5rem 1rem">
        <h2 id={title}>Notifications</h2>
        {latest && items.some((item) => !item.read) && (
          <Button
            size="compact-sm"
            variant="subtle"
            loading={read.isPending}
            onClick={() => read.mutate({ notification_id: latest.notification_id, and_earlier: true })}
          >
            Mark all as read
          </Button>
        )}
      </Group>
      {read.error && <InlineAlert>{messageOf(read.error, TEXTS.unknownError)}</InlineAlert>}
      {list.status === 'pending' && <RowsSkeleton />}
      {list.status === 'error' && (
        <QueryError query={list}>{messageOf(list.error, TEXTS.unknownError)}</QueryError>
      )}
      {list.status === 'success' && items.length === 0 && (
        <Text c="dimmed" p="0.5rem 1rem 1rem">
          No notifications. Posts and accounts that need your attention show up here.
        </Text>
      )}
      <ul>
        {items.map((item) => (
          <Item
            key={item.notification_id}
            item={item}
            onOpen={() => {
              if (!item.read) read.mutate({ notification_id: item.notification_id, and_earlier: false })
              onGo()
            }}
          />
        ))}
      </ul>
      <Group justify="space-between" gap="xs" p="0.75rem 1rem" fz="xs" className={classes.foot}>
        {list.hasNextPage && (
          <Button
            size="compact-sm"
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show older
          </Button>
        )}
        <Link to={PATHS.settings} onClick={onGo}>
          Notification settings
        </Link>
      </Group>
    </section>
  )
}

function Item({ item, onOpen }: { item: Notification; onOpen: () => void }) {
  const zone = useZone()
  const now = useNow()
  return (
    <li className={classes.item} data-unread={!item.read || undefined}>
      <Link to={notificationPath(item)} onClick={onOpen} className={classes.link ?? ''}>
        <Text span size="sm" fw={600}>
          {!item.read && <VisuallyHidden>Unread.</VisuallyHidden>} <bdi>{item.title}</bdi>
        </Text>{' '}
        {item.account_id === null && <bdi>{item.subject}</bdi>}{' '}
        <Text span inherit c="dimmed" className={classes.message}>
          {item.message}
        </Text>{' '}
        <Text component="time" inherit c="dimmed" dateTime={item.at}>
          {namedDayAndTime(item.at, { zone, now })}
        </Text>
      </Link>
    </li>
  )
}
