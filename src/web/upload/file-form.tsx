import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link } from 'react-router'
import { MAIN_API } from '#contract/api/main-api.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { refreshVideos } from '#web/api/videos.ts'
import { useSessionState } from '#web/session/browser-store.ts'
import { formatBytes } from '#web/lib/amounts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { fieldErrorsOf, focusFirstInvalid } from '#web/platforms/kit/field-errors.ts'
import { fileErrorOf } from '#web/videos/file-error.ts'
import { sameVideoQuery } from '#web/videos/find-same-video.ts'
import classes from '#web/platforms/kit/kit.module.css'
import { uploadForm, type UploadControls } from '#web/platforms/kit/send-form.ts'
import { UploadStatus } from '#web/platforms/kit/upload-status.tsx'
import { uploadPoster } from '#web/videos/poster.ts'
import { serverMessageOf } from '#web/api/problem-reason.ts'
import { useShownUpload, type OutcomeTexts } from '#web/videos/use-upload.ts'
import { removeUpload } from '#web/videos/uploads.ts'
import { useVideoCheck, type VideoCheck } from '#web/videos/use-video-check.ts'
import { VideoField } from '#web/platforms/kit/video-field.tsx'
import own from './upload.module.css'

const PART = { ...MAIN_API.uploadVideo.file, missing: TEXTS.chooseVideoFirst }

/** The specification's pair of texts that can include a reason. */
const OUTCOME_TEXTS: OutcomeTexts<Video> = {
  success: () => TEXTS.uploadInitiated,
  failure: (error) => TEXTS.uploadFailedPrefix + (serverMessageOf(error) ?? TEXTS.unknownError),
}

const CANCELLED = {
  early: 'Upload cancelled. Nothing was stored.',
  late: 'Upload cancelled. Almost all of it was sent, so the video may be stored all the same. Nothing was posted.',
}

const send = (file: File) => (controls: UploadControls) =>
  call('uploadVideo', { body: {}, file, ...controls })

/** Uploads a video for later: stored and checked against every platform, not posted. */
export function FileForm() {
  const [file, setFile] = useSessionState<File | null>('file form', null)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const { place, upload } = useShownUpload<Video>('file')
  const state = upload?.state ?? null
  // Nothing is posted, so platform limits are shown as warnings only.
  const check = asWarnings(useVideoCheck(file, PLATFORM_IDS))
  const fileError = fileErrorOf(file, PART)
  const isUploading = state?.kind === 'uploading'
  const { data: same } = useQuery(sameVideoQuery(fileError === null && !isUploading ? file : null))

  const store = async (chosen: File) => {
    const form = { file: chosen, send: send(chosen), cancelled: CANCELLED, texts: OUTCOME_TEXTS }
    const outcome = await uploadForm(place, form)
    if (outcome?.kind !== 'done') return
    refreshVideos()
    void uploadPoster(outcome.reply.video_id, chosen)
    setFile(null)
    setWasSubmitted(false)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (file === null || fileError !== null) return focusFirstInvalid(event.currentTarget)
    void store(file)
  }

  const serverErrors =
    state?.kind === 'failed' ? fieldErrorsOf(state.error, { prefix: '', text: PART.field }) : {}
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <div className={own.line}>
        <VideoField
          label="Video"
          file={file}
          onChange={(chosen) => {
            void removeUpload(place.id)
            setWasSubmitted(false)
            setFile(chosen)
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
      {same && (
        <InlineAlert tone="note" live={false}>
          Your library already has this file:{' '}
          <Link to={`${PATHS.library}?${new URLSearchParams({ search: same.filename })}`}>
            <bdi>{same.filename}</bdi>
          </Link>
          . Uploading it again stores a second copy.
        </InlineAlert>
      )}
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
