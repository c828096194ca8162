import { formatSentBytes, formatDuration, percent } from '#web/lib/amounts.ts'
import type { RunningUpload, ShownUpload } from './uploads.ts'

/** The reason why an upload sends nothing now; null: it is sending. */
export function pauseText({ phase, note }: Pick<ShownUpload, 'phase' | 'note'>): string | null {
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

/** Explains a sending upload that started again or was continued. */
export const uploadNote = ({ phase, note }: ShownUpload): string | null => (phase === 'sending' ? note : null)

/** Percent, bytes and time left. */
export function progressText({ progress, phase, note }: ShownUpload): string {
  const { sent, total, leftS } = progress
  if (phase === 'sending' && sent >= total) return 'Uploaded. Checking the video …'
  const instead = pauseText({ phase, note })
  if (phase === 'cancelling') return instead ?? ''
  const parts = [
    instead ?? `${percent(sent, total)} %`,
    formatSentBytes(sent, total),
    leftS !== null && `${formatDuration(leftS)} left`,
  ]
  return parts.filter((part) => part !== false).join(' · ')
}

export const isCancellable = ({ phase }: Pick<ShownUpload, 'phase'>): boolean => phase !== 'cancelling'

/** The label and action of the pause button; null: there is nothing to pause. */
export function pauseAction({ progress, phase, pausing }: RunningUpload) {
  if (pausing === null) return null
  if (phase === 'paused') return { isPaused: true, label: 'Continue', act: pausing.resume } as const
  const isOnItsWay = (phase === 'sending' && progress.sent < progress.total) || phase === 'waiting'
  return isOnItsWay ? ({ isPaused: false, label: 'Pause', act: pausing.pause } as const) : null
}
