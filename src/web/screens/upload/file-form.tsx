import { Button } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { z } from 'zod'
import { API } from '#contract/api/api.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/client/api.ts'
import { refreshVideos } from '#web/client/videos.ts'
import { useFormDraft, useSessionState } from '#web/session/browser-store.ts'
import { formatBytes } from '#web/lib/format/amounts.ts'
import { fieldErrorsOf } from '#web/video/form/field-errors.ts'
import { fileErrorOf } from '#web/video/file/file-error.ts'
import { focusFirstInvalid } from '#web/video/form/focus-first-invalid.ts'
import classes from '#web/video/form/form.module.css'
import { uploadPoster } from '#web/video/file/poster.ts'
import { UploadStatus } from '#web/video/upload/upload-status.tsx'
import { serverMessageOf } from '#web/video/upload/upload-error.ts'
import { useUpload, type OutcomeTexts } from '#web/video/upload/use-upload.ts'
import { useVideoCheck, type VideoCheck } from '#web/video/file/use-video-check.ts'
import { VideoField } from '#web/video/file/video-field.tsx'
import own from './upload.module.css'

const Name = z.string().nullable()
const PART = { ...API.uploadVideo.file, missing: TEXTS.chooseVideoFirst }

/** The specification's pair of texts that can include a reason. */
const OUTCOME_TEXTS: OutcomeTexts = {
  success: TEXTS.uploadInitiated,
  failure: (error) => TEXTS.uploadFailedPrefix + (serverMessageOf(error) ?? TEXTS.unknownError),
}

const CANCELLED = 'Upload cancelled. Nothing was stored.'
const CANCELLED_LATE =
  'Upload cancelled. Almost all of it was sent, so the video may be stored all the same. Nothing was posted.'

/** Uploads a video for later: stored and checked against every platform, not posted. */
export function FileForm() {
  const [file, setFile] = useSessionState<File | null>('file', null)
  const name = useFormDraft('file name', Name, null)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const { state, upload, clear } = useUpload<Video>('file')
  // Nothing is posted, so platform limits are shown as warnings only.
  const check = asWarnings(useVideoCheck(file, PLATFORM_IDS))
  const fileError = fileErrorOf(file, PART)
  const isUploading = state.kind === 'uploading'

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (file === null || fileError !== null) return focusFirstInvalid(event.currentTarget)
    await upload({
      file,
      texts: OUTCOME_TEXTS,
      cancelledText: CANCELLED,
      afterCancel: (mayHaveArrived) =>
        Promise.resolve({ message: mayHaveArrived ? CANCELLED_LATE : CANCELLED, publishesNothing: true }),
      send: async (controls) => {
        const video = await call('uploadVideo', { body: {}, file, ...controls })
        refreshVideos()
        void uploadPoster(video.video_id, file)
        setFile(null)
        name.clear(null)
        setWasSubmitted(false)
        return video
      },
    })
  }

  const serverErrors =
    state.kind === 'failed' ? fieldErrorsOf(state.error, { prefix: '', text: PART.field }) : {}
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <div className={own.line}>
        <VideoField
          label="Video"
          file={file}
          previousName={name.value}
          onChange={(chosen) => {
            clear()
            setWasSubmitted(false)
            setFile(chosen)
            if (chosen === null) name.clear(null)
            else name.set(chosen.name)
          }}
          check={check}
          help="Any video, up to 4 GB."
          error={serverErrors[PART.field] ?? (wasSubmitted || file !== null ? fileError : null)}
          disabled={isUploading}
        />
        <Button type="submit" variant="default" disabled={isUploading}>
          Upload video
        </Button>
      </div>
      <UploadStatus
        state={state}
        texts={OUTCOME_TEXTS}
        interrupted="nothing was stored"
        unanswered="Uploading it again stores a second copy."
        about={({ filename, size }) => `${filename} is stored (${formatBytes(size)}).`}
      />
    </form>
  )
}

const asWarnings = (check: VideoCheck): VideoCheck =>
  check.kind === 'known'
    ? { ...check, findings: check.findings.map((finding) => ({ ...finding, level: 'warning' })) }
    : check
