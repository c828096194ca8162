import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { reasonOf } from './upload-error.ts'
import { UploadProgress } from './upload-progress.tsx'
import { retryInLibrary } from './upload-video.ts'
import { removeUpload, type Upload } from './uploads.ts'
import classes from './uploads.module.css'

/** The files that are being uploaded, and those that could not be. */
export const UploadsList = ({ uploads }: { uploads: readonly Upload<Video>[] }) =>
  uploads.length > 0 && (
    <Card flush>
      <ul className={classes.uploads} aria-label="Uploads">
        {uploads.map((upload) => (
          <li key={upload.id} className={classes.upload}>
            <UploadLine upload={upload} />
          </li>
        ))}
      </ul>
    </Card>
  )

function UploadLine({ upload }: { upload: Upload<Video> }) {
  const { filename, state } = upload
  const remove = () => void removeUpload(upload.id)
  switch (state.kind) {
    case 'queued':
      return (
        <div className={classes.line}>
          <span className={classes.name}>{filename}</span>
          <span className={classes.state}>Waits for the others</span>
          <Button
            variant="default"
            size="xs"
            aria-label={`Cancel the upload of ${filename}`}
            onClick={remove}
          >
            Cancel
          </Button>
        </div>
      )
    case 'checking':
      return (
        <div className={classes.line}>
          <span className={classes.name}>{filename}</span>
          <span className={classes.state}>Reading the video …</span>
        </div>
      )
    case 'uploading':
      return (
        <>
          <span className={classes.name}>{filename}</span>
          <UploadProgress upload={state} filename={filename} />
        </>
      )
    case 'done':
      return (
        <div className={classes.line}>
          <span className={classes.name}>{filename}</span>
          <span className={classes.stored}>
            <IconCheck {...ICON} /> Uploaded
          </span>
        </div>
      )
    case 'failed':
    case 'refused':
      return (
        <InlineAlert
          actions={
            <>
              <Button size="xs" variant="default" onClick={() => retryInLibrary(upload)}>
                Try again
              </Button>
              <Button size="xs" variant="subtle" aria-label={`Remove ${filename}`} onClick={remove}>
                Remove
              </Button>
            </>
          }
        >
          <strong>{filename} is not uploaded.</strong>{' '}
          {state.kind === 'refused' ? state.message : (reasonOf(state.error) ?? TEXTS.unknownError)}
        </InlineAlert>
      )
    case 'asking':
    case 'fixing':
    case 'unfixed':
    case 'cancelled':
      return null
  }
}
