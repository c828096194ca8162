import { Button } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { z } from 'zod'
import { API } from '#contract/api.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/client/api.ts'
import { useDraft, useKept } from '#web/session/browser-store.ts'
import { bytes } from '#web/lib/format/amounts.ts'
import { fieldErrorsOf } from '#web/video/field-errors.ts'
import { fileErrorOf } from '#web/video/file-error.ts'
import { focusFirstInvalid } from '#web/video/focus-first-invalid.ts'
import classes from '#web/video/form.module.css'
import { sendPoster } from '#web/video/poster.ts'
import { SendState } from '#web/video/send-state.tsx'
import { serverMessageOf } from '#web/video/carry.ts'
import { useSending, type Words } from '#web/video/sending.ts'
import { useVideoCheck, type VideoCheck } from '#web/video/use-video-check.ts'
import { VideoField } from '#web/video/video-field.tsx'
import own from './upload.module.css'

const Name = z.string().nullable()
const PART = { ...API.uploadVideo.file, missing: TEXTS.chooseVideoFirst }

/** The specification's pair of texts that can include a reason. */
const WORDS: Words = {
  success: TEXTS.uploadInitiated,
  failure: (error) => TEXTS.uploadFailedPrefix + (serverMessageOf(error) ?? TEXTS.unknownError),
}

const STOPPED_EARLY = 'Upload cancelled. Nothing was stored.'
const STORED = 'The upload finished before you cancelled it: the video is stored. Nothing was posted.'
const NOT_YET_STORED =
  "Upload cancelled. Most of it was sent, but the server hasn't stored the video so far. Nothing was posted."
const LOOK_TIMEOUT_MS = 20_000

/** Uploads a video for later: stored and checked against every platform, not posted. */
export function FileForm() {
  const [file, setFile] = useKept<File | null>('file', null)
  const name = useDraft('file name', Name, null)
  const [asked, setAsked] = useState(false)
  const { state, send, clear } = useSending<Video>('file')
  // Nothing is posted, so platform limits are shown as warnings only.
  const check = asAdvice(useVideoCheck(file, PLATFORM_IDS))
  const fileError = fileErrorOf(file, PART)
  const sending = state.kind === 'sending'

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    if (file === null || fileError !== null) return focusFirstInvalid(event.currentTarget)
    await send({
      file,
      words: WORDS,
      stoppedEarly: STOPPED_EARLY,
      afterStop: async (canHaveArrived) => {
        if (!canHaveArrived) return { what: STOPPED_EARLY, isGone: true }
        const videos = await call('listVideos', { timeoutMs: LOOK_TIMEOUT_MS })
        const isStored = videos.some(({ filename, size }) => filename === file.name && size === file.size)
        return { what: isStored ? STORED : NOT_YET_STORED, isGone: true }
      },
      run: async (how) => {
        const video = await call('uploadVideo', { body: {}, file, ...how })
        void sendPoster(video.video_id, file)
        setFile(null)
        name.clear(null)
        setAsked(false)
        return video
      },
    })
  }

  const said = state.kind === 'failed' ? fieldErrorsOf(state.error, { prefix: '', text: PART.field }) : {}
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <div className={own.line}>
        <VideoField
          label="Video"
          file={file}
          again={name.value}
          onChange={(chosen) => {
            clear()
            setAsked(false)
            setFile(chosen)
            if (chosen === null) name.clear(null)
            else name.set(chosen.name)
          }}
          check={check}
          help="Any video, up to 4 GB."
          error={said[PART.field] ?? (asked || file !== null ? fileError : null)}
          disabled={sending}
        />
        <Button type="submit" variant="default" disabled={sending}>
          Upload video
        </Button>
      </div>
      <SendState
        state={state}
        words={WORDS}
        interrupted="nothing was stored"
        unanswered="Uploading it again stores a second copy."
        about={({ filename, size }) => `${filename} is stored (${bytes(size)}).`}
      />
    </form>
  )
}

const asAdvice = (check: VideoCheck): VideoCheck =>
  check.kind === 'known'
    ? { ...check, findings: check.findings.map((finding) => ({ ...finding, level: 'warning' })) }
    : check
