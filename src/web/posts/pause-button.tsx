import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Suspense, useRef, useState, type Ref } from 'react'
import type { AccountId, BrandId, PostId, ScheduleId } from '#contract/ids.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_ACCOUNTS, ANY_POSTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { Badge } from '#web/ui/status.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime } from '#web/lib/moments.ts'

const PauseUntilDialog = lazyDialog(async () => ({
  default: (await import('./pause-dialogs.tsx')).PauseUntilDialog,
}))
export const MissedDialog = lazyDialog(async () => ({
  default: (await import('./pause-dialogs.tsx')).MissedDialog,
}))

type Props = {
  of: { readonly accountId: AccountId } | { readonly brandId: BrandId } | { readonly scheduleId: ScheduleId }
  name: string
  paused: boolean
  /** With its word beside the icon. */
  wide?: boolean
  /** Asks what becomes of posts that missed their time, where the button disappears once it is pressed. */
  onMissed?: (postIds: readonly PostId[]) => void
}

/** Pauses posting to an account, a brand or from a posting schedule, for good or until a time, or resumes it with one press. */
export function PauseButton({ of, name, paused, wide = false, onMissed }: Props) {
  const [isAskingUntil, setAskingUntil] = useState(false)
  const [missed, setMissed] = useState<readonly PostId[]>([])
  const button = useRef<HTMLButtonElement>(null)
  const pause = useMutation({
    mutationFn: (body: Pause) => setPause(of, body),
    onSuccess: async (result) => {
      announce({ kind: 'done', message: pauseText(name, result) })
      setAskingUntil(false)
      ;(onMissed ?? setMissed)(result.missed_post_ids)
      await Promise.all(
        [ANY_POSTS, ANY_ACCOUNTS, brandsQuery, ANY_SCHEDULES].map(({ queryKey }) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    },
    onError: (error) =>
      !isAskingUntil && announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
  })
  // A second press while it runs would undo nothing.
  const set = (body: Pause) => !pause.isPending && pause.mutate(body)
  return (
    <>
      {paused ? (
        <PauseOrResume ref={button} paused name={name} wide={wide} onClick={() => set({ paused: false })} />
      ) : (
        <Menu position="bottom-end" returnFocus>
          <Menu.Target>
            <PauseOrResume ref={button} paused={false} name={name} wide={wide} />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => set({ paused: true })}>Until I resume it</Menu.Item>
            <Menu.Item onClick={() => setAskingUntil(true)}>Until a day and time…</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Suspense>
        {isAskingUntil && (
          <PauseUntilDialog
            name={name}
            busy={pause.isPending}
            error={pause.error}
            onPause={(until) => set({ paused: true, until })}
            onClose={() => setAskingUntil(false)}
          />
        )}
        {missed.length > 0 && <MissedDialog postIds={missed} onClose={() => setMissed([])} />}
      </Suspense>
    </>
  )
}

type Pause = { readonly paused: boolean; readonly until?: string }

function setPause(of: Props['of'], body: Pause): Promise<PauseResult> {
  if ('accountId' in of) return call('pauseAccount', { params: of, body })
  if ('brandId' in of) return call('pauseBrand', { params: of, body })
  return call('pauseSchedule', { params: of, body })
}

type ButtonProps = Pick<Props, 'name' | 'paused' | 'wide'> & {
  ref: Ref<HTMLButtonElement>
  onClick?: () => void
}

function PauseOrResume({ name, paused, wide, ...props }: ButtonProps) {
  const word = paused ? 'Resume' : 'Pause'
  const Icon = paused ? IconPlayerPlay : IconPlayerPause
  return wide ? (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon {...ICON} size={14} />}
      aria-label={`${word} ${name}`}
      {...props}
    >
      {word}
    </Button>
  ) : (
    <ActionIcon aria-label={`${word} ${name}`} title={`${word} ${name}`} {...props}>
      <Icon {...ICON} />
    </ActionIcon>
  )
}

/** What a pause did, or what becomes of the posts that waited for its end. */
export function pauseText(
  name: string,
  { paused, released, missed }: Pick<PauseResult, 'paused' | 'released' | 'missed'>,
): string {
  if (paused) return `${name} is paused. Its posts wait until it is resumed.`
  return [
    `${name} is resumed.`,
    released > 0 && `${counted(released, 'post')} ${released === 1 ? 'goes' : 'go'} out now.`,
    missed > 0 && `${counted(missed, 'post')} missed ${missed === 1 ? 'its' : 'their'} time.`,
  ]
    .filter((part) => part !== false)
    .join(' ')
}

/** "Paused until 7 Dec, 09:00" */
export function PausedBadge({ until }: { until: string | null }) {
  const zone = useZone()
  const word = until === null ? 'Paused' : `Paused until ${dayAndTime(until, zone)}`
  return <Badge tone="held" Icon={IconPlayerPause} word={word} />
}
