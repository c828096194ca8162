import { Button, Group, Progress as Bar, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconWand } from '@tabler/icons-react'
import { useId } from 'react'
import type { Video } from '#contract/videos.ts'
import { listRefusers, type FixPlan } from '#domain/video-check/fix-plan.ts'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { formatDuration, percent } from '#web/lib/amounts.ts'
import type { Upload } from './uploads.ts'
import classes from './videos.module.css'

type Props = { upload: Upload<Video> | null; disabled: boolean; onDismiss: () => void }

/** Offers to fix a file that would be refused, shows the progress, or says why it failed. */
export function FixStep({ upload, disabled, onDismiss }: Props) {
  const state = upload?.state
  if (state?.kind === 'asking') return <Question {...state} disabled={disabled} />
  if (state?.kind === 'fixing') return <Running {...state} filename={upload?.filename ?? ''} />
  if (state?.kind !== 'unfixed') return null
  return (
    <InlineAlert
      title="The video is not fixed."
      actions={
        <Button size="xs" variant="default" onClick={onDismiss}>
          OK
        </Button>
      }
    >
      {state.why} Your video stays as it was.
    </InlineAlert>
  )
}

type QuestionProps = {
  plan: FixPlan
  problem: string | null
  canTry: boolean
  answer: (answer: 'fix' | 'as it is') => void
  disabled: boolean
}

function Question({ plan, problem, canTry, answer, disabled }: QuestionProps) {
  const titleId = useId()
  const refused = plan.solved.filter(({ level }) => level === 'error')
  return (
    <Stack
      component="section"
      gap="xs"
      fz="xs"
      className={classes.step ?? ''}
      aria-labelledby={titleId}
      data-question
    >
      <div role="alert">
        <Group component="h2" id={titleId} gap="xs" wrap="nowrap" fz="xs" lh="xs">
          <IconAlertTriangle {...ICON} color="var(--r-attention)" /> {listRefusers(refused)} would refuse this
          file
        </Group>
      </div>
      <ul>
        {[...new Set(refused.map(({ message }) => message))].map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      {canTry && (
        <p>
          Your browser can fix it before anything is sent: {plan.changes.join(', ')}. The file on your device
          stays as it is.
        </p>
      )}
      {plan.remaining.length > 0 && (
        <p>
          The fix can't change this: {[...new Set(plan.remaining.map(({ message }) => message))].join(' ')}
        </p>
      )}
      {problem !== null && <p role="alert">{problem}</p>}
      <Group align="stretch" gap="xs">
        {canTry && (
          <Button size="xs" disabled={disabled} variant="light" onClick={() => answer('fix')}>
            Fix and upload
          </Button>
        )}
        <Button size="xs" disabled={disabled} variant="default" onClick={() => answer('as it is')}>
          Upload as it is
        </Button>
      </Group>
    </Stack>
  )
}

type RunningProps = { share: number; leftS: number | null; filename: string; cancel: () => Promise<boolean> }

function Running({ share, leftS, filename, cancel }: RunningProps) {
  const done = percent(share, 1)
  return (
    <Stack gap="0.375rem">
      <Group gap="0 0.75rem" fz="xs" lh="1.5rem">
        <Group component="span" gap="0.375rem" fw={600} c="var(--r-working)">
          <IconWand {...ICON} /> Fixing {done}%
        </Group>
        <Text span inherit ml="auto" c="dimmed">
          {leftS !== null && `${formatDuration(leftS)} left`}
        </Text>
        <Button variant="subtle" color="accent" size="compact-sm" onClick={() => void cancel()}>
          Cancel
        </Button>
      </Group>
      <Bar value={done} aria-label={`Fix of ${filename}`} color="var(--r-working)" size={4} radius="xl" />
    </Stack>
  )
}
