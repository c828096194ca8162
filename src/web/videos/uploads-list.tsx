import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { UploadProgress } from './upload-progress.tsx'
import type { QueuedUpload } from './upload-queue.ts'
import classes from './uploads.module.css'

type Props = {
  uploads: readonly QueuedUpload[]
  onRetry: (upload: QueuedUpload) => void
  onRemove: (upload: QueuedUpload) => void
}

/** The files that are being uploaded, and those that could not be. */
export const UploadsList = ({ uploads, onRetry, onRemove }: Props) =>
  uploads.length > 0 && (
    <Card flush>
      <ul className={classes.uploads} aria-label="Uploads">
        {uploads.map((upload) => (
          <li key={upload.id} className={classes.upload}>
            <UploadLine upload={upload} onRetry={() => onRetry(upload)} onRemove={() => onRemove(upload)} />
          </li>
        ))}
      </ul>
    </Card>
  )

type LineProps = { upload: QueuedUpload; onRetry: () => void; onRemove: () => void }

function UploadLine({ upload: { file, state }, onRetry, onRemove }: LineProps) {
  switch (state.kind) {
    case 'waiting':
      return (
        <div className={classes.line}>
          <span className={classes.name}>{file.name}</span>
          <span className={classes.state}>Waits for the others</span>
          <Button
            variant="default"
            size="xs"
            aria-label={`Cancel the upload of ${file.name}`}
            onClick={onRemove}
          >
            Cancel
          </Button>
        </div>
      )
    case 'reading':
      return (
        <div className={classes.line}>
          <span className={classes.name}>{file.name}</span>
          <span className={classes.state}>Reading the video …</span>
        </div>
      )
    case 'uploading':
      return (
        <>
          <span className={classes.name}>{file.name}</span>
          <UploadProgress upload={state} filename={file.name} />
        </>
      )
    case 'stored':
      return (
        <div className={classes.line}>
          <span className={classes.name}>{file.name}</span>
          <span className={classes.stored}>
            <IconCheck {...ICON} /> Uploaded
          </span>
        </div>
      )
    case 'failed':
      return (
        <InlineAlert
          actions={
            <>
              <Button size="xs" variant="default" onClick={onRetry}>
                Try again
              </Button>
              <Button size="xs" variant="subtle" aria-label={`Remove ${file.name}`} onClick={onRemove}>
                Remove
              </Button>
            </>
          }
        >
          <strong>{file.name} is not uploaded.</strong> {state.message}
        </InlineAlert>
      )
  }
}
