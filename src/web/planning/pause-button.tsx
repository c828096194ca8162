import { ActionIcon, Button } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { AccountId, BrandId, ScheduleId } from '#contract/ids.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_ACCOUNTS, ANY_POSTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'

type Props = {
  of: { readonly accountId: AccountId } | { readonly brandId: BrandId } | { readonly scheduleId: ScheduleId }
  name: string
  paused: boolean
  /** With its word beside the icon. */
  wide?: boolean
}

/** Pauses or resumes posting to an account, a brand or from a posting schedule, with one press. */
export function PauseButton({ of, name, paused, wide = false }: Props) {
  const pause = useMutation({
    mutationFn: () => setPause(of, !paused),
    onSuccess: (result) => {
      announce({ kind: 'done', message: pauseText(name, result) })
      void queryClient.invalidateQueries(ANY_POSTS)
      return Promise.all(
        [ANY_ACCOUNTS, brandsQuery, ANY_SCHEDULES].map((one) =>
          queryClient.invalidateQueries({ queryKey: one.queryKey }),
        ),
      )
    },
    onError: (error) => announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
  })
  const label = paused ? `Resume ${name}` : `Pause ${name}`
  const Icon = paused ? IconPlayerPlay : IconPlayerPause
  // A second press while it runs would undo nothing.
  const press = () => !pause.isPending && pause.mutate()
  return wide ? (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<Icon {...ICON} size={14} />}
      aria-label={label}
      onClick={press}
    >
      {paused ? 'Resume' : 'Pause'}
    </Button>
  ) : (
    <ActionIcon aria-label={label} title={label} onClick={press}>
      <Icon {...ICON} />
    </ActionIcon>
  )
}

function setPause(of: Props['of'], paused: boolean): Promise<PauseResult> {
  const body = { paused }
  if ('accountId' in of) return call('pauseAccount', { params: of, body })
  if ('brandId' in of) return call('pauseBrand', { params: of, body })
  return call('pauseSchedule', { params: of, body })
}

/** What a pause did, or what becomes of the posts that waited for its end. */
export function pauseText(name: string, { paused, released, missed }: PauseResult): string {
  if (paused) return `${name} is paused. Its posts wait until you resume it.`
  return [
    `${name} is resumed.`,
    released > 0 && `${counted(released, 'post')} ${released === 1 ? 'goes' : 'go'} out now.`,
    missed > 0 &&
      `${counted(missed, 'post')} missed ${missed === 1 ? 'its' : 'their'} time: publish ${missed === 1 ? 'it' : 'them'} or choose another time in the queue.`,
  ]
    .filter((part) => part !== false)
    .join(' ')
}
