import { ActionIcon } from '@mantine/core'
import { IconMovie, IconX } from '@tabler/icons-react'
import { useId, useRef, useState, type DragEvent } from 'react'
import type { Finding, VideoFacts } from '#contract/videos.ts'
import { isRefused, labelOf } from '#domain/video-check/post-check.ts'
import { bytes, playTime } from '#web/lib/format/amounts.ts'
import { ICON } from '#web/components/display/icons.tsx'
import { Thumbnail } from '#web/components/display/thumbnail.tsx'
import { usePoster } from './poster.ts'
import type { VideoCheck } from './use-video-check.ts'
import classes from './video-field.module.css'

const AGAIN = 'The browser keeps what you typed when the page is loaded again, but not the file.'

type Props = {
  label: string
  file: File | null
  /** The name of a file that was chosen before the page was loaded again. */
  again?: string | null
  onChange: (file: File | null) => void
  check: VideoCheck
  /** Which moment stands for the video, in ms; 0: nobody chose one. */
  coverMs?: number
  /** What the platform takes, in a line. */
  help: string
  error?: string | null
  disabled?: boolean
}

/** Takes one video by choosing or dropping it, and says at once what it is and what a platform would refuse. */
export function VideoField({
  label,
  file,
  again = null,
  onChange,
  check,
  coverMs = 0,
  help,
  error = null,
  disabled = false,
}: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const poster = usePoster(file, coverMs)
  const belowId = `${id}-below`
  const findingsId = `${id}-findings`
  // What the form itself refuses needs no second opinion.
  const findings = error === null && check.kind === 'known' ? check.findings : []
  const isWrong = error !== null || isRefused(findings)

  const take = (chosen: File | null) => {
    onChange(chosen)
    // The same file chosen again after it was mended is news; without this the browser keeps quiet.
    if (input.current) input.current.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const dropped = event.dataTransfer.files[0]
    if (dropped && !disabled) take(dropped)
  }

  return (
    <div className={classes.field}>
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
        {file === null ? <Invitation again={again} /> : <Chosen file={file} poster={poster} check={check} />}
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
        {file !== null && !disabled && (
          <ActionIcon
            className={classes.remove ?? ''}
            aria-label={`Remove ${file.name}`}
            onClick={() => take(null)}
          >
            <IconX {...ICON} />
          </ActionIcon>
        )}
      </div>
      <p id={belowId} className={classes.below} data-error={error !== null || undefined}>
        {error ?? (file === null && again !== null ? AGAIN : help)}
      </p>
      <output id={findingsId} className={classes.findings} htmlFor={id}>
        {findings.map((finding) => (
          <FindingLine key={finding.platform + finding.code} finding={finding} />
        ))}
      </output>
    </div>
  )
}

function Invitation({ again }: { again: string | null }) {
  return (
    <>
      <span className={classes.icon}>
        <IconMovie {...ICON} size={20} />
      </span>
      <span className={classes.what}>
        <span>
          <span className={classes.choose}>
            {again === null ? 'Choose a video' : `Choose ${again} again`}
          </span>{' '}
          or drop it here
        </span>
      </span>
    </>
  )
}

type ChosenProps = { file: File; poster: string | null; check: VideoCheck }

function Chosen({ file, poster, check }: ChosenProps) {
  const facts = check.kind === 'known' ? describe(check.facts) : []
  return (
    <>
      <Thumbnail src={poster} size="small" />
      <span className={classes.what}>
        <span className={classes.name}>{file.name}</span>
        <span className={classes.facts}>
          {[bytes(file.size), ...facts].join(' · ')}
          {check.kind === 'reading' && ' · reading …'}
        </span>
      </span>
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

/** "0:42", "1080 × 1920", "H.264", "30 fps": as far as they are known. */
function describe(facts: VideoFacts): string[] {
  if (facts.container === 'unknown') return []
  return [
    playTime(facts.duration_s),
    facts.width !== null && facts.height !== null && `${facts.width} × ${facts.height}`,
    facts.video_codec !== null && labelOf(facts.video_codec),
    facts.fps !== null && `${Math.round(facts.fps)} fps`,
  ].filter((part) => part !== false)
}
