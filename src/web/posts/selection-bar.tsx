import { Button, Group } from '@mantine/core'
import { BareCheckbox } from '#web/ui/bare-checkbox.tsx'
import { IconBellOff, IconCalendarClock, IconCopy, IconTrash, IconX } from '@tabler/icons-react'
import { Suspense, useState, type ReactNode } from 'react'
import type { PostId } from '#contract/ids.ts'
import { POSTS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'
import { BarButton, BottomBar } from '#web/ui/bottom-bar.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { isOpenFailure } from './post.ts'
import type { BulkAction } from './bulk-dialog.tsx'
import classes from './posts.module.css'

const BulkDialog = lazyDialog(async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog }))

type Props = {
  posts: readonly Post[]
  zone: string
  onClear: () => void
  /** These are dealt with; the others stay selected. */
  onDone: (done: ReadonlySet<PostId>) => void
}

export function SelectionBar({ posts, zone, onClear, onDone }: Props) {
  const [action, setAction] = useState<BulkAction | null>(null)
  const button = (which: BulkAction, icon: ReactNode, label: string) => (
    <BarButton
      {...(which === 'delete' && { color: 'failed' })}
      icon={icon}
      label={label}
      onClick={() => setAction(which)}
    />
  )
  return (
    <BottomBar label="Selected posts">
      <Group gap="sm" wrap="nowrap" flex="1 1 12rem">
        <BareCheckbox aria-label="Clear the selection" checked={false} indeterminate onChange={onClear} />
        <output>
          <strong>{posts.length} selected</strong>
          {posts.length === POSTS_AT_ONCE_MAX && ` · ${POSTS_AT_ONCE_MAX} at most at a time`}
        </output>
        <Button variant="subtle" size="compact-sm" onClick={onClear}>
          Clear
        </Button>
      </Group>
      <div className={classes.bulkActions}>
        {button('move', <IconCalendarClock {...ICON} />, 'Reschedule')}
        {button('duplicate', <IconCopy {...ICON} />, 'Duplicate')}
        {posts.some(({ deliveries }) => deliveries.some(isOpenFailure)) &&
          button('dismiss', <IconBellOff {...ICON} />, 'Dismiss')}
        {button('cancel', <IconX {...ICON} />, 'Cancel posts')}
        {button('delete', <IconTrash {...ICON} />, 'Delete')}
      </div>
      <Suspense>
        {action && (
          <BulkDialog
            action={action}
            posts={posts}
            zone={zone}
            onClose={() => setAction(null)}
            onDone={onDone}
          />
        )}
      </Suspense>
    </BottomBar>
  )
}
