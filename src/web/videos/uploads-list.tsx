import { Box, Button, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { reasonOf } from '#web/api/problem-reason.ts'
import { useZone } from '#web/ui/zone.tsx'
import { dateOf } from '#web/lib/moments.ts'
import { FixStep } from './fix-step.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { isCounted, UploadTotals } from './upload-totals.tsx'
import { retryInLibrary, uploadCopy } from './upload-video.ts'
import { removeUpload, type Upload } from './uploads.ts'
import classes from './videos.module.css'

type Props = { uploads: readonly Upload<Video>[]; onShow: (video: Video) => void }

/** The files that are being uploaded or fixed, those that could not be, and those that are there already. */
export const UploadsList = ({ uploads, onShow }: Props) =>
  uploads.length > 0 && (
    <Card flush>
      {uploads.filter(isCounted).length > 1 && (
        <Box p="0.625rem 1rem" style={{ borderBottom: '1px solid var(--r-line)' }}>
          <UploadTotals uploads={uploads} />
        </Box>
      )}
      <Box component="ul" mah="19rem" className={classes.scroll ?? ''} aria-label="Uploads">
        {uploads.map((upload) => (
          <Box component="li" key={upload.id} p="0.625rem 1rem">
            <UploadLine upload={upload} onShow={onShow} />
          </Box>
        ))}
      </Box>
    </Card>
  )

function UploadLine({ upload, onShow }: Pick<Props, 'onShow'> & { upload: Upload<Video> }) {
  const { filename, state } = upload
  const remove = () => void removeUpload(upload.id)
  switch (state.kind) {
    case 'pending':
      return (
        <Group gap="sm" wrap="nowrap" mih="2rem" c="dimmed" fz="xs">
          <Name>{filename}</Name>
          <span>Waits for the others</span>
          <Button
            variant="default"
            size="xs"
            aria-label={`Cancel the upload of ${filename}`}
            onClick={remove}
          >
            Cancel
          </Button>
        </Group>
      )
    case 'checking':
      return (
        <Group gap="sm" wrap="nowrap" mih="2rem" c="dimmed" fz="xs">
          <Name>{filename}</Name>
          <span>Reading the video …</span>
        </Group>
      )
    case 'uploading':
      return (
        <>
          <Name>{filename}</Name>
          <UploadProgress upload={state} filename={filename} />
        </>
      )
    case 'done':
      return (
        <Group gap="sm" wrap="nowrap" mih="2rem" c="dimmed" fz="xs">
          <Name>{filename}</Name>
          <Group component="span" gap="0.375rem" c="var(--r-published)">
            <IconCheck {...ICON} /> Uploaded
          </Group>
        </Group>
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
          <strong>
            <bdi>{filename}</bdi> is not uploaded.
          </strong>{' '}
          {state.kind === 'refused' ? state.message : (reasonOf(state.error) ?? TEXTS.unknownError)}
        </InlineAlert>
      )
    case 'known':
      return <Known video={state.video} upload={upload} onShow={onShow} onRemove={remove} />
    case 'fixing':
    case 'unfixed':
      return (
        <>
          <Name>{filename}</Name>
          <FixStep upload={upload} disabled={false} onDismiss={remove} />
        </>
      )
    case 'asking':
    case 'cancelled':
      return null
  }
}

type KnownProps = Pick<Props, 'onShow'> & { video: Video; upload: Upload<Video>; onRemove: () => void }

function Known({ video, upload, onShow, onRemove }: KnownProps) {
  const zone = useZone()
  const { filename } = upload
  return (
    <InlineAlert
      tone="note"
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => onShow(video)}>
            Show it
          </Button>
          <Button size="xs" variant="default" onClick={() => uploadCopy(upload)}>
            Upload a copy
          </Button>
          <Button size="xs" variant="subtle" aria-label={`Remove ${filename}`} onClick={onRemove}>
            Remove
          </Button>
        </>
      }
    >
      <strong>
        <bdi>{filename}</bdi> is already in your library
      </strong>
      {video.filename !== filename && (
        <>
          , as <bdi>{video.filename}</bdi>
        </>
      )}
      . It was added on {dateOf(video.created_at, zone)}, so nothing was uploaded.
    </InlineAlert>
  )
}

const Name = ({ children }: { children: string }) => (
  <Text span flex={1} size="xs" fw={600} c="var(--r-ink)" truncate dir="auto">
    {children}
  </Text>
)
