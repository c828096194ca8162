import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArrowBarToDown,
  IconArrowBarToUp,
  IconBellOff,
  IconCopy,
  IconDots,
  IconEdit,
  IconExternalLink,
  IconHistory,
  IconPencil,
  IconSend,
  IconTrash,
  IconX,
} from '@tabler/icons-react'
import { useEffect, useImperativeHandle, useState, type Ref, type RefObject } from 'react'
import { Link } from 'react-router'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import type { DeliveryId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { announce } from '#web/ui/announce.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { copyPath, editPath } from '#web/lib/paths.ts'
import { dismissFailures } from './delivery-actions.ts'
import { isOpenFailure } from './post.ts'
import classes from './posts.module.css'
import {
  canCancel,
  LABELS_OF_PLACES,
  type PlaceAsked,
  isPlanned,
  plannedScheduleId,
} from './confirmations.tsx'

/** A menu asks before the post is deleted, published or given another place in its schedule, and before deliveries are cancelled. */
export type Question = 'delete' | 'now' | 'cancel all' | PlaceAsked | DeliveryId

type Props = {
  button: RefObject<HTMLButtonElement | null>
  post: Post
  title: string
  /** Of a row: the post's own page shows the timeline, "Edit" and "Duplicate" by themselves. */
  timeline?: { readonly isShown: boolean; readonly onToggle: () => void }
  onAsk: (question: Question) => void
}

/** The button of a post's menu. A menu costs more than the rest of a row, so it is mounted when first asked for. */
export function PostMenu(props: Props) {
  const { button, post, title } = props
  const [isMounted, setMounted] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const id = `menu-of-${post.post_id}`
  return (
    <>
      <ActionIcon
        ref={button}
        className={classes.menu ?? ''}
        id={id}
        aria-label={`More about ${title}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-dropdown` : undefined}
        onClick={() => (isMounted ? setOpen(!isOpen) : setMounted(true))}
      >
        <IconDots {...ICON} />
      </ActionIcon>
      {isMounted && <MountedMenu {...props} id={id} isOpen={isOpen} onOpen={setOpen} />}
    </>
  )
}

type MountedProps = Props & { id: string; isOpen: boolean; onOpen: (isOpen: boolean) => void }

function MountedMenu({ id, isOpen, onOpen, button, ...items }: MountedProps) {
  // Mounted closed and then opened: Mantine remembers where the focus was when a menu opens, not when it mounts.
  useEffect(() => onOpen(true), [onOpen])
  return (
    // In the page's landmark, and without a placeholder element that ARIA forbids in a menu.
    <Menu
      id={id}
      opened={isOpen}
      onChange={onOpen}
      portalProps={{ target: '#page' }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Mounted button={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Items {...items} />
      </Menu.Dropdown>
    </Menu>
  )
}

type Button = HTMLButtonElement | null

/** Stands for a button that is rendered elsewhere. */
function Mounted({ button, ref }: Pick<Props, 'button'> & { ref?: Ref<Button> }) {
  useImperativeHandle<Button, Button>(ref, () => button.current, [button])
  return null
}

const PLACES = [
  { place: 'top', Icon: IconArrowBarToUp },
  { place: 'bottom', Icon: IconArrowBarToDown },
] as const

async function dismiss(post: Post): Promise<void> {
  try {
    await dismissFailures(post)
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) })
  }
  await queryClient.invalidateQueries(ANY_POSTS)
}

function Items({ post, timeline, onAsk }: Omit<Props, 'button' | 'title'>) {
  const several = post.deliveries.length > 1
  const failed = post.deliveries.filter(isOpenFailure).length
  return (
    <>
      {timeline && (
        <Menu.Item leftSection={<IconHistory {...ICON} />} onClick={timeline.onToggle}>
          {timeline.isShown ? 'Hide the timeline' : 'Show the timeline'}
        </Menu.Item>
      )}
      {timeline && post.deliveries.some(({ editable }) => editable) && (
        <Menu.Item component={Link} to={editPath(post.post_id)} leftSection={<IconEdit {...ICON} />}>
          Edit
        </Menu.Item>
      )}
      {isPlanned(post) && (
        <Menu.Item leftSection={<IconSend {...ICON} />} onClick={() => onAsk('now')}>
          Publish now
        </Menu.Item>
      )}
      {plannedScheduleId(post) !== null &&
        PLACES.map(({ place, Icon }) => (
          <Menu.Item key={place} leftSection={<Icon {...ICON} />} onClick={() => onAsk(place)}>
            {LABELS_OF_PLACES[place]}
          </Menu.Item>
        ))}
      {post.deliveries.map(
        (delivery) =>
          delivery.url !== null && (
            <Menu.Item
              key={delivery.delivery_id}
              component="a"
              href={delivery.url}
              target="_blank"
              rel="noreferrer"
              leftSection={<IconExternalLink {...ICON} />}
            >
              Open on {PLATFORM_NAMES[delivery.platform]}
              {several && ` (${accountName(delivery)})`}
            </Menu.Item>
          ),
      )}
      {several && post.deliveries.filter(canCancel).length > 1 && (
        <Menu.Item leftSection={<IconX {...ICON} />} color="failed" onClick={() => onAsk('cancel all')}>
          Cancel all that have not started
        </Menu.Item>
      )}
      {post.deliveries.map(
        (delivery) =>
          canCancel(delivery) && (
            <Menu.Item
              key={delivery.delivery_id}
              leftSection={<IconX {...ICON} />}
              color="failed"
              onClick={() => onAsk(delivery.delivery_id)}
            >
              Cancel post
              {several && ` for ${accountOnPlatform(delivery)}`}
            </Menu.Item>
          ),
      )}
      {failed > 1 && (
        <Menu.Item
          component={Link}
          to={copyPath(post.post_id, 'failed')}
          leftSection={<IconPencil {...ICON} />}
        >
          Edit and resend to {failed} accounts
        </Menu.Item>
      )}
      {failed > 1 && (
        <Menu.Item leftSection={<IconBellOff {...ICON} />} onClick={() => void dismiss(post)}>
          Dismiss {failed} failures
        </Menu.Item>
      )}
      {timeline && (
        <Menu.Item component={Link} to={copyPath(post.post_id, 'all')} leftSection={<IconCopy {...ICON} />}>
          Duplicate
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconTrash {...ICON} />} color="failed" onClick={() => onAsk('delete')}>
        Delete this post
      </Menu.Item>
    </>
  )
}
