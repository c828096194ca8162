import { Menu } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { PostId } from '#contract/ids.ts'
import { untilText } from '#web/lib/moments.ts'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { Badge } from '#web/ui/status.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { MissedDialog, type Paused, PauseOrResume, usePause } from './resume-button.tsx'

const PauseUntilDialog = lazyDialog(async () => ({
  default: (await import('./pause-dialogs.tsx')).PauseUntilDialog,
}))

type Props = {
  of: Paused
  name: string
  paused: boolean
  /** With its word beside the icon. */
  wide?: boolean
}

/** Pauses posting to an account, a brand or from a posting schedule, for good or until a time, or resumes it with one press. */
export function PauseButton({ of, name, paused, wide = false }: Props) {
  const [isAskingUntil, setAskingUntil] = useState(false)
  const [missed, setMissed] = useState<readonly PostId[]>([])
  const { set, isPending, error } = usePause({ of, name, onMissed: setMissed })
  return (
    <>
      {paused ? (
        <PauseOrResume paused name={name} wide={wide} onClick={() => set({ paused: false })} />
      ) : (
        <Menu position="bottom-end" returnFocus>
          <Menu.Target>
            <PauseOrResume paused={false} name={name} wide={wide} />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>Pause posting</Menu.Label>
            <Menu.Item onClick={() => set({ paused: true })}>Until I resume it</Menu.Item>
            <Menu.Item onClick={() => setAskingUntil(true)}>Until a day and time…</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Suspense>
        {isAskingUntil && !paused && (
          <PauseUntilDialog
            name={name}
            busy={isPending}
            error={error}
            onPause={(until) => set({ paused: true, until })}
            onClose={() => setAskingUntil(false)}
          />
        )}
        {missed.length > 0 && <MissedDialog postIds={missed} onClose={() => setMissed([])} />}
      </Suspense>
    </>
  )
}

export const PausedBadge = ({ until }: { until: string | null }) => (
  <Badge tone="held" Icon={IconPlayerPause} word={`Paused${untilText(until, useZone())}`} />
)
