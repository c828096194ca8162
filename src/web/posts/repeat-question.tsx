import { Button, Group, Modal, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { Repeat } from '#contract/http/problem.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { useZone } from '#web/ui/zone.tsx'
import { useNow } from '#web/lib/use-now.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { postPath } from '#web/lib/paths.ts'
import classes from './posts.module.css'

export type KnownRepeat = Repeat & { readonly platform: PlatformId; readonly status: DeliveryStatus }

type Props = {
  repeats: readonly KnownRepeat[]
  onConfirm: () => void
  onClose: () => void
}

/** Asks before a video goes to an account that has it already, or is about to get it. */
export default function RepeatQuestion({ repeats, onConfirm, onClose }: Props) {
  const zone = useZone()
  const now = useNow()
  return (
    <Modal opened onClose={onClose} title="Post it again?">
      <Stack gap="12px">
        <p>The same video is on this account already, or on its way there:</p>
        <Stack component="ul" gap="sm" className={classes.scroll}>
          {repeats.map((repeat, nth) => (
            // oxlint-disable-next-line react/no-array-index-key -- the list of a question never changes
            <Stack component="li" key={nth} gap={0}>
              <strong>{accountOnPlatform(repeat)}</strong>
              <span>{describeRepeat(repeat, (at) => namedDayAndTime(at, { zone, now }))}</span>
              <Group component="span" align="stretch" gap="4px 16px">
                {repeat.post_id !== null && <Link to={postPath(repeat.post_id)}>Show that post</Link>}
                {repeat.url !== null && (
                  <a href={repeat.url} target="_blank" rel="noreferrer">
                    Open on {PLATFORM_NAMES[repeat.platform]}
                  </a>
                )}
              </Group>
            </Stack>
          ))}
        </Stack>
        <p>If you post it again, it will be there twice.</p>
        <Group align="stretch" justify="flex-end" gap="8px">
          <Button variant="default" onClick={onClose} data-autofocus>
            Leave it
          </Button>
          <Button color="failed" onClick={onConfirm}>
            Post it again
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function describeRepeat({ status, at, post_id }: KnownRepeat, timeOf: (at: string) => string): string {
  const time = at === null ? '' : `: ${timeOf(at)}`
  switch (status) {
    case 'published':
      return post_id === null ? `Published by a post that isn't in your lists${time}` : `Published${time}`
    case 'in_inbox':
      return `In the inbox, not posted yet${time}`
    case 'unconfirmed':
      return 'Unconfirmed: it may be live'
    case 'preparing':
    case 'committing':
    case 'processing':
      return 'Publishing now'
    case 'scheduled':
      return `Scheduled${time}`
    case 'blocked':
    case 'failed':
    case 'cancelled':
      return 'Held: it goes out later'
  }
}
