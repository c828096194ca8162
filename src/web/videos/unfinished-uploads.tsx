import { Button, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { TEXTS } from '#contract/texts.ts'
import type { UploadId } from '#contract/ids.ts'
import { signerOfNow } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { UNFINISHED_UPLOADS, unfinishedUploadsQuery, type UnfinishedUpload } from '#web/api/videos.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { percent } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { useUid } from '#web/session/browser-store.ts'
import { knownUploads } from './known-uploads.ts'
import { useActiveUploads } from './uploads.ts'

/** One whose last bytes are younger may be running in another tab or on another device. */
const STILL_MS = 60_000

type Props = {
  /** Opens the file dialog. */
  onChoose: () => void
  /** The id of the place for which a file is chosen: what was to become its video is shown first, and at once. */
  place?: string
  className?: string | undefined
}

/** The uploads that stand still, after a reload for instance: the same file chosen again continues. */
export function UnfinishedUploads({ onChoose, place, className }: Props) {
  const known = knownUploads(useUid())
  const { data, dataUpdatedAt } = useQuery(unfinishedUploadsQuery)
  const active = useActiveUploads()
  const isActive = ({ filename, size }: UnfinishedUpload) =>
    active.some((one) => one.filename === filename && one.state.progress.total === size)
  const isOurs = ({ upload_id: id }: UnfinishedUpload) => place !== undefined && known.get(id) === place
  const isStill = ({ received_at: at }: UnfinishedUpload) => Date.parse(at) < dataUpdatedAt - STILL_MS
  const still = (data?.items ?? [])
    .filter((one) => one.offset > 0 && !isActive(one) && (isOurs(one) || isStill(one)))
    .toSorted((one, other) => Number(isOurs(other)) - Number(isOurs(one)))
  if (still.length === 0) return null
  return (
    <Stack
      component="ul"
      gap="xs"
      w="100%"
      {...(className !== undefined && { className })}
      aria-label="Unfinished uploads"
    >
      {still.map((upload) => (
        <li key={upload.upload_id}>
          <Unfinished
            upload={upload}
            isOurs={isOurs(upload)}
            canContinue={known.has(upload.upload_id)}
            onChoose={onChoose}
          />
        </li>
      ))}
    </Stack>
  )
}

type UnfinishedProps = Pick<Props, 'onChoose'> & {
  upload: UnfinishedUpload
  isOurs: boolean
  canContinue: boolean
}

function Unfinished({ upload, isOurs, canContinue, onChoose }: UnfinishedProps) {
  const { upload_id: uploadId, filename, offset, size, expires_at } = upload
  const zone = useZone()
  const discard = useMutation({
    mutationFn: () => discardUpload(uploadId),
    onSuccess: () =>
      announce({ kind: 'note', message: `The unfinished upload of ${filename} is discarded.` }),
    onSettled: () => queryClient.invalidateQueries(UNFINISHED_UPLOADS),
  })
  return (
    <InlineAlert
      tone="note"
      live={false}
      title={`${isOurs ? `This post's video, ${filename},` : filename} is ${percent(offset, size)}% uploaded.`}
      actions={
        <>
          {canContinue && (
            <Button size="xs" variant="default" aria-label={`Choose ${filename} again`} onClick={onChoose}>
              Choose it again
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            aria-label={`Discard the upload of ${filename}`}
            loading={discard.isPending}
            onClick={() => discard.mutate()}
          >
            Discard
          </Button>
        </>
      }
    >
      {canContinue
        ? 'Choose the same file again to continue.'
        : 'It continues in the browser where it began.'}{' '}
      It is kept until {dateOf(expires_at, zone)}.
      {discard.error && <span role="alert"> {messageOf(discard.error, TEXTS.unknownError)}</span>}
    </InlineAlert>
  )
}

async function discardUpload(uploadId: UploadId): Promise<void> {
  const { deleteUpload } = await import('./tus-requests.ts')
  const signer = signerOfNow()
  await deleteUpload(uploadId, () => signer.headers(false))
}
