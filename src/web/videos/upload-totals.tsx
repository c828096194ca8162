import { Progress as Bar, Stack } from '@mantine/core'
import { formatBytes, formatDuration, percent } from '#web/lib/amounts.ts'
import { pauseText } from './running-text.ts'
import type { Upload } from './uploads.ts'

/** Uploads that failed or wait for an answer are not counted: nobody knows whether they go on. */
export const isCounted = ({ state }: Upload): boolean =>
  ['pending', 'checking', 'uploading', 'done'].includes(state.kind)

/** Several uploads as one: a bar, the files, the bytes and the time left. */
export function UploadTotals({ uploads }: { uploads: readonly Upload[] }) {
  const totals = sumUploads(uploads)
  return (
    <Stack gap="0.375rem" pt="0.375rem" c="dimmed" fz="xs">
      <Bar
        value={percent(totals.sent, totals.total)}
        aria-label="All uploads"
        color={totals.pause === null ? 'var(--r-working)' : 'var(--r-muted)'}
        size={4}
      />
      <span>{totalsText(totals)}</span>
    </Stack>
  )
}

type Totals = {
  readonly files: number
  readonly done: number
  readonly sent: number
  readonly total: number
  readonly leftS: number | null
  /** Why nothing is sent now; null: something is. */
  readonly pause: string | null
}

export function sumUploads(uploads: readonly Upload[]): Totals {
  const counted = uploads.filter(isCounted)
  const running = counted.flatMap(({ state }) => (state.kind === 'uploading' ? [state] : []))
  const sending = running.filter(({ phase }) => phase === 'sending')
  const rates = sending.flatMap(({ progress: { sent, total, leftS } }) =>
    leftS !== null && leftS > 0 ? [(total - sent) / leftS] : [],
  )
  // One that has just begun is taken to be as fast as the others.
  const rate = (rates.reduce((a, b) => a + b, 0) / rates.length) * sending.length
  const total = counted.reduce((sum, { file }) => sum + (file?.size ?? 0), 0)
  const done = counted.filter(({ state }) => state.kind === 'done')
  const sent =
    done.reduce((sum, { file }) => sum + (file?.size ?? 0), 0) +
    running.reduce((sum, { progress }) => sum + progress.sent, 0)
  const [first] = running
  return {
    files: counted.length,
    done: done.length,
    sent,
    total,
    leftS: rate > 0 ? (total - sent) / rate : null,
    pause: sending.length === 0 && first ? pauseText(first) : null,
  }
}

/** "3 of 7 uploaded · 412 MB of 1.2 GB · about 4 min left" */
export const totalsText = ({ files, done, sent, total, leftS, pause }: Totals): string =>
  [
    pause,
    `${done} of ${files} uploaded`,
    `${formatBytes(sent)} of ${formatBytes(total)}`,
    leftS !== null && `about ${formatDuration(leftS)} left`,
  ]
    .filter((part) => part !== null && part !== false)
    .join(' · ')
