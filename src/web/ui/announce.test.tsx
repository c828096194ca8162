import { notifications, notificationsStore } from '@mantine/notifications'
import { afterEach, expect, test } from 'vitest'
import { announce, type Announcement } from './announce.tsx'

afterEach(() => notifications.clean())

test.each([
  ['failed', false],
  ['done', expect.any(Number)],
  ['note', expect.any(Number)],
] satisfies [Announcement['kind'], unknown][] as [Announcement['kind'], unknown][])(
  'a message of kind %s closes by itself unless it is an error',
  (kind, autoClose) => {
    announce({ kind, message: 'Couldn’t move the post.' })
    expect(notificationsStore.getState().notifications).toMatchObject([{ autoClose }])
  },
)
