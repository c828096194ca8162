import { Box, Button, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { reasonOf } from '#web/api/problem-reason.ts'
import { UploadProgress } from './upload-progress.tsx'
import { retryInLibrary } from './upload-video.ts'
import { removeUpload, type Upload } from './uploads.ts'
import classes from './videos.module.css'

/** The files that are being uploaded, and those that could not be. */
export const UploadsList = ({ uploads }: { uploads: readonly Upload<Video>[] }) =>
  uploads.length > 0 && (
    <Card flush>
      <Box component="ul" mah="19rem" className={classes.scroll ?? ''} aria-label="Uploads">
        {uploads.map((upload) => (
          <Box component="li" key={upload.id} p="0.625rem 1rem">
            <UploadLine upload={upload} />
          </Box>
        ))}
      </Box>
    </Card>
  )

function UploadLine({ upload }: { upload: Upload<Video> }) {
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
    case 'asking':
    case 'fixing':
    case 'unfixed':
    case 'cancelled':
      return null
  }
}

const Name = ({ children }: { children: string }) => (
  <Text span flex={1} size="xs" fw={600} c="var(--r-ink)" truncate dir="auto">
    {children}
  </Text>
)
