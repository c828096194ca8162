import { ActionIcon, Stack, Text } from '@mantine/core'
import { IconMovie, IconX } from '@tabler/icons-react'
import { useId, useRef, useState, type DragEvent, type ReactNode } from 'react'
import type { Finding, VideoFacts } from '#contract/videos.ts'
import { isRefused, formatLabel } from '#domain/video-check/post-check.ts'
import { formatBytes, formatFrameRate, formatPlayTime } from '#web/lib/amounts.ts'
import { ICON } from '#web/ui/icons.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { usePoster } from '#web/videos/poster.ts'
import type { VideoCheck } from '#web/videos/use-video-check.ts'
import classes from './kit.module.css'

type Props = {
  label: string
  file: File | null
  onChange: (file: File | null) => void
  check: VideoCheck
  /** The moment of the poster, in ms; 0: none was chosen. */
  coverMs?: number
  /** One line that says what the platform accepts. */
  help: string
  error?: string | null
  disabled?: boolean
  remedy?: ReactNode
}

/** Chooses one video by dialog or drop, and shows at once its facts and what a platform would refuse. */
export function VideoField({
  label,
  file,
  onChange,
  check,
  coverMs = 0,
  help,
  error = null,
  disabled = false,
  remedy = null,
}: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const poster = usePoster(file, coverMs)
  const belowId = `${id}-below`
  const findingsId = `${id}-findings`
  // The form's own error is enough.
  const findings = error === null && check.kind === 'known' ? check.findings : []
  const isWrong = error !== null || isRefused(findings)

  const take = (chosen: File | null) => {
    onChange(chosen)
    // Otherwise choosing the same, edited file again fires no change event.
    if (input.current) input.current.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const dropped = event.dataTransfer.files[0]
    if (dropped && !disabled) take(dropped)
  }

  return (
    <div>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <div
        className={classes.drop}
        data-over={over || undefined}
        data-chosen={file !== null || undefined}
        data-error={isWrong || undefined}
        data-disabled={disabled || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {file === null ? <Prompt /> : <Chosen file={file} poster={poster} check={check} />}
        <input
          ref={input}
          id={id}
          type="file"
          accept="video/*"
          className={classes.input}
          disabled={disabled}
          aria-required="true"
          aria-invalid={isWrong}
          aria-describedby={`${belowId} ${findingsId}`}
          onChange={(event) => take(event.currentTarget.files?.[0] ?? null)}
        />
        {file !== null && !disabled && <RemoveButton name={file.name} onClick={() => take(null)} />}
      </div>
      <Text id={belowId} mt="0.25rem" size="xs" c={error === null ? 'dimmed' : 'var(--r-failed)'}>
        {error ?? help}
      </Text>
      <Findings id={findingsId} fieldId={id} findings={findings} />
      {remedy !== null && (
        <Text mt="0.25rem" size="xs" c="dimmed">
          {remedy}
        </Text>
      )}
    </div>
  )
}

/** Positioned, so that it is above the input, which covers the area. */
const RemoveButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <ActionIcon pos="relative" aria-label={`Remove ${name}`} onClick={onClick}>
    <IconX {...ICON} />
  </ActionIcon>
)

function Findings({ id, fieldId, findings }: { id: string; fieldId: string; findings: readonly Finding[] }) {
  return (
    <output id={id} htmlFor={fieldId}>
      <Stack component="span" gap="xs">
        {findings.map((finding) => (
          <FindingLine key={finding.platform + finding.code} finding={finding} />
        ))}
      </Stack>
    </output>
  )
}

const Prompt = () => (
  <>
    <IconMovie {...ICON} size={20} color="var(--r-muted)" />
    <span>
      <Text span inherit fw={600} c="var(--r-accent)">
        Choose a video
      </Text>{' '}
      or drop it here
    </span>
  </>
)

type ChosenProps = { file: File; poster: string | null; check: VideoCheck }

function Chosen({ file, poster, check }: ChosenProps) {
  const facts = check.kind === 'known' ? describe(check.facts) : []
  return (
    <>
      <Thumbnail src={poster} size="small" />
      <Stack component="span" gap={0} flex={1} miw={0}>
        <Text span fw={600} truncate>
          <bdi>{file.name}</bdi>
        </Text>
        <Text span c="dimmed" size="xs">
          {[formatBytes(file.size), ...facts].join(' · ')}
          {check.kind === 'reading' && ' · reading…'}
        </Text>
      </Stack>
    </>
  )
}

function FindingLine({ finding: { level, message, remedy } }: { finding: Finding }) {
  return (
    <span className={classes.finding} data-level={level}>
      <strong>{message}</strong> {remedy}
    </span>
  )
}

/** The known facts, such as "0:42", "1080 × 1920", "H.264", "30 fps". */
function describe(facts: VideoFacts): string[] {
  if (facts.container === 'unknown') return []
  return [
    formatPlayTime(facts.duration_s),
    facts.width !== null && facts.height !== null && `${facts.width} × ${facts.height}`,
    facts.video_codec !== null && formatLabel(facts.video_codec),
    formatFrameRate(facts),
  ].filter((part) => part !== false)
}
