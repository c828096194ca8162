import { ActionIcon, Button } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { Ref } from 'react'
import type { AccountId, BrandId, PostId, ScheduleId } from '#contract/ids.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_ACCOUNTS, ANY_POSTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'

export const MissedDialog = lazyDialog(async () => ({
  default: (await import('./pause-dialogs.tsx')).MissedDialog,
}))

export type Paused =
  | { readonly accountId: AccountId }
  | { readonly brandId: BrandId }
  | { readonly scheduleId: ScheduleId }

type Named = { of: Paused; name: string; onMissed: (postIds: readonly PostId[]) => void }

/** Pauses or resumes, and says what that did. `onMissed`: these posts missed their time meanwhile. */
export function usePause({ of, name, onMissed }: Named) {
  const pause = useMutation({
    mutationFn: (body: Pause) => setPause(of, body),
    onSuccess: async (result, { until }) => {
      // The dialog about posts that missed their time says it, and would be covered.
      if (result.missed_post_ids.length > 0) onMissed(result.missed_post_ids)
      else announce({ kind: 'done', message: pauseText(name, result, until) })
      await Promise.all(
        [ANY_POSTS, ANY_ACCOUNTS, brandsQuery, ANY_SCHEDULES].map(({ queryKey }) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    },
    // The dialog shows what it was refused.
    onError: (error, { until }) =>
      until === undefined && announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
  })
  return {
    ...pause,
    /** A second press while it runs would undo nothing. */
    set: (body: Pause) => !pause.isPending && pause.mutate(body),
  }
}

/** Resumes with one press. */
export function ResumeButton(props: Named) {
  const { set } = usePause(props)
  return <PauseOrResume paused wide name={props.name} onClick={() => set({ paused: false })} />
}

type Pause = { readonly paused: boolean; readonly until?: string }

function setPause(of: Paused, body: Pause): Promise<PauseResult> {
  if ('accountId' in of) return call('pauseAccount', { params: of, body })
  if ('brandId' in of) return call('pauseBrand', { params: of, body })
  return call('pauseSchedule', { params: of, body })
}

type ButtonProps = {
  name: string
  paused: boolean
  /** With its word beside the icon. */
  wide: boolean
  ref?: Ref<HTMLButtonElement>
  onClick?: () => void
}

export function PauseOrResume({ name, paused, wide, ...props }: ButtonProps) {
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

/** Says what a pause did, or what its end does to the posts that waited. */
export function pauseText(
  name: string,
  { paused, released }: Pick<PauseResult, 'paused' | 'released'>,
  until?: string,
): string {
  if (paused) return `${name} is paused. Its posts wait${until === undefined ? ' until you resume it' : ''}.`
  return `${name} is no longer paused.${released > 0 ? ' What was due meanwhile goes out now.' : ''}`
}
