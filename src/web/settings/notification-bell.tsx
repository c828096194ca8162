import { ActionIcon, Popover } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { IconBell } from '@tabler/icons-react'
import { Suspense, useEffect } from 'react'
import { createPortal } from 'react-dom'
import { useNavigate } from 'react-router'
import { notificationPath } from '#contract/http/addresses.ts'
import { UNREAD_COUNTED_MAX } from '#contract/limits.ts'
import { ICON } from '#web/ui/icons.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { useSession } from '#web/session/session.ts'
import { showInBrowser } from '#web/lib/browser-notifications.ts'
import { useBellPlace } from './bell-place.tsx'
import classes from './settings.module.css'
import { unreadQuery } from './notification-queries.ts'

const loadList = () => import('./notifications-list.tsx')
const NotificationsList = lazyPart(loadList)

/** Opens the notifications and counts the unread ones. Loaded after the page. */
export default function NotificationBell() {
  const place = useBellPlace()
  const session = useSession()
  const navigate = useNavigate()
  const [opened, popover] = useDisclosure(false)
  const unread = useQuery({ ...unreadQuery, enabled: session.status === 'in' })
  useEffect(() => {
    if (unread.data) showInBrowser(unread.data, (told) => void navigate(notificationPath(told)))
  }, [unread.data, navigate])
  if (place === null) return null
  const count = unread.data?.unread ?? 0
  const counted = count >= UNREAD_COUNTED_MAX ? `${UNREAD_COUNTED_MAX - 1}+` : String(count)
  return createPortal(
    <Popover
      opened={opened}
      onChange={(next) => (next ? popover.open() : popover.close())}
      position="bottom-start"
      width="min(24rem, calc(100vw - 2rem))"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={count > 0 ? `Notifications, ${counted} unread` : 'Notifications'}
          onClick={popover.toggle}
          onPointerEnter={() => void loadList().catch(() => undefined)}
        >
          <IconBell {...ICON} size={20} />
          {count > 0 && (
            <span className={classes.count} aria-hidden="true">
              {counted}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown ?? ''} aria-label="Notifications">
        <Suspense fallback={null}>
          <NotificationsList onGo={popover.close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>,
    place,
  )
}
