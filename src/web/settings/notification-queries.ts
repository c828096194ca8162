import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { NotificationId } from '#contract/ids.ts'
import { call } from '#web/api/api.ts'
import { ANY_NOTIFICATIONS, queryClient, UNREAD_NOTIFICATIONS } from '#web/api/queries.ts'

/** For pages without an event stream. */
const POLL_MS = 60_000

/** Also asked while the tab is hidden, for the browser's notifications. */
export const unreadQuery = queryOptions({
  ...UNREAD_NOTIFICATIONS,
  queryFn: ({ signal }) => call('getUnread', { signal }),
  refetchInterval: POLL_MS,
  refetchIntervalInBackground: true,
})

/** The user's notifications, latest first, a page at a time. */
export const notificationsQuery = infiniteQueryOptions({
  queryKey: [...ANY_NOTIFICATIONS.queryKey, 'list'],
  queryFn: ({ pageParam }) => call('listNotifications', { query: { cursor: pageParam ?? undefined } }),
  initialPageParam: null as string | null, // the first page has no cursor
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

export const notificationSettingsQuery = queryOptions({
  queryKey: ['notification settings'],
  queryFn: ({ signal }) => call('getNotificationSettings', { signal }),
})

/** Marks one as read, or every one up to it. */
export async function markAsRead(read: {
  notification_id: NotificationId
  and_earlier: boolean
}): Promise<void> {
  await call('readNotifications', { body: read })
  await queryClient.invalidateQueries(ANY_NOTIFICATIONS)
}
