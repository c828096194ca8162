import { Button } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { ApiProblem, call } from '#web/api.ts'
import { useKept } from '#web/kept.ts'
import { queryClient, videosQuery } from '#web/queries.ts'
import { bytes } from '#web/ui/amounts.ts'
import { fieldErrorsOf } from '#web/video/field-errors.ts'
import { focusFirstInvalid } from '#web/video/focus-first-invalid.ts'
import classes from '#web/video/form.module.css'
import { sendPoster } from '#web/video/poster.ts'
import { SendState } from '#web/video/send-state.tsx'
import { useSending } from '#web/video/sending.ts'
import { useVideoCheck, type VideoCheck } from '#web/video/use-video-check.ts'
import { mayBeVideo, VideoField } from '#web/video/video-field.tsx'
import own from './upload.module.css'

/** A video for later: stored, checked against every platform, posted nowhere. */
export function FileForm() {
  const [file, setFile] = useKept<File | null>('file', null)
  const [error, setError] = useState<string | null>(null)
  const { state, send, clear } = useSending<Video>('file')
  // Nothing is posted, so nothing is refused here: what a platform would refuse is worth knowing all the same.
  const check = asAdvice(useVideoCheck(file, PLATFORM_IDS))
  const sending = state.kind === 'sending'

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const found = fileError(file)
    setError(found)
    if (found !== null || file === null) return focusFirstInvalid(form)
    await send({
      size: file.size,
      run: async (how) => {
        const video = await call('uploadVideo', { body: {}, file, ...how })
        void sendPoster(video.video_id, file)
        setFile(null)
        void queryClient.invalidateQueries(videosQuery)
        return video
      },
      news: (ended) =>
        ended.kind === 'done'
          ? { kind: 'done', message: TEXTS.uploadInitiated }
          : ended.kind === 'failed'
            ? { kind: 'failed', message: failure(ended.error) }
            : null,
    })
  }

  const said = state.kind === 'failed' ? fieldErrorsOf(state.error, { prefix: '', text: 'file' }) : {}
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <div className={own.line}>
        <VideoField
          label="Video"
          file={file}
          onChange={(chosen) => {
            if (state.kind !== 'idle') clear()
            setError(chosen === null ? null : fileError(chosen))
            setFile(chosen)
          }}
          check={check}
          help="Any video, up to 4 GB."
          error={said['file'] ?? error}
          disabled={sending}
        />
        <Button type="submit" variant="default" disabled={sending}>
          Upload video
        </Button>
      </div>
      <SendState
        state={state}
        success={TEXTS.uploadInitiated}
        failure={failure}
        unanswered="Sending it again stores it once more."
        about={({ filename, size }) => `${filename} is stored (${bytes(size)}).`}
      />
    </form>
  )
}

const asAdvice = (check: VideoCheck): VideoCheck =>
  check.kind === 'known'
    ? { ...check, findings: check.findings.map((finding) => ({ ...finding, level: 'warning' })) }
    : check

function fileError(file: File | null): string | null {
  if (file === null) return TEXTS.chooseVideoFirst
  if (!mayBeVideo(file)) return TEXTS.notAVideo
  return file.size > VIDEO_MAX_BYTES ? TEXTS.videoTooLarge : null
}

/** The specification pairs its four texts by two; the file's form takes the pair that can carry a reason. */
function failure(error: Error): string {
  if (error instanceof ApiProblem && error.kind !== 'unreadable')
    return TEXTS.uploadFailedPrefix + error.message
  return TEXTS.uploadFailedPrefix + TEXTS.unknownError
}
