import { formatBytesOf, formatDuration, percent } from '#web/lib/amounts.ts'
import type { RunningUpload } from './uploads.ts'

type Shown = Pick<RunningUpload, 'progress' | 'phase' | 'note'>

/** What an upload that sends nothing does instead; null: it sends. */
export function pauseText({ phase, note }: Pick<Shown, 'phase' | 'note'>): string | null {
  switch (phase) {
    case 'sending':
      return null
    case 'waiting':
      return note === null ? 'Waiting for the network' : `Waiting. ${note}`
    case 'paused':
      return 'Paused'
    case 'elsewhere':
      return 'Continues in another tab or on another device'
    case 'cancelling':
      return 'Cancelling …'
  }
}

/** Of what is sent now: why it starts again, or that it was continued. */
export const noteOf = ({ phase, note }: Shown): string | null => (phase === 'sending' ? note : null)

/** Percent, bytes and time left. */
export function figuresOf({ progress, phase, note }: Shown): string {
  const { sent, total, leftS } = progress
  if (phase === 'sending' && sent >= total) return 'Uploaded. Checking the video …'
  const instead = pauseText({ phase, note })
  if (phase === 'cancelling') return instead ?? ''
  const parts = [
    instead ?? `${percent(sent, total)} %`,
    formatBytesOf(sent, total),
    leftS !== null && `${formatDuration(leftS)} left`,
  ]
  return parts.filter((part) => part !== false).join(' · ')
}

/** Whether something can still be stopped. */
export const isCancellable = ({ phase }: Pick<Shown, 'phase'>): boolean => phase !== 'cancelling'

/** What the pause button does; null: there is nothing to pause. */
export function pauseAction({ progress, phase, pausing }: RunningUpload) {
  if (pausing === null) return null
  if (phase === 'paused') return { isPaused: true, label: 'Continue', act: pausing.resume } as const
  const isOnItsWay = (phase === 'sending' && progress.sent < progress.total) || phase === 'waiting'
  return isOnItsWay ? ({ isPaused: false, label: 'Pause', act: pausing.pause } as const) : null
}
