import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import type { Picture } from '#contract/videos.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { pictureQuery } from '#web/api/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PICTURE_UPLOAD, uploadPicture } from './upload-picture.ts'
import classes from './videos.module.css'

type Props = {
  label: string
  /** The help is shown while there is no picture. */
  help: string
  value: number | null
  onChange: (pictureId: number | null) => void
  /** What the platform does to a picture of another shape than its own; null: nothing. */
  fit: (picture: Picture) => string | null
  error?: string | null
  disabled: boolean
}

/** Chooses, uploads and shows an own cover picture. */
export function PictureField({ label, help, value, onChange, fit, error = null, disabled }: Props) {
  const helpId = useId()
  const input = useRef<HTMLInputElement>(null)
  // Something else may have been changed while the picture was uploaded.
  const change = useRef(onChange)
  useEffect(() => void (change.current = onChange))
  const upload = useMutation({
    mutationKey: PICTURE_UPLOAD,
    mutationFn: uploadPicture,
    onSuccess: ({ picture_id }) => change.current(picture_id),
  })
  const picture = useQuery(pictureQuery(value))
  const isGone = picture.error instanceof ApiProblem && picture.error.code === 'not_found'
  const problem = upload.error ? messageOf(upload.error, TEXTS.unknownError) : error
  const isWide = picture.data && picture.data.width > picture.data.height && fit(picture.data) === null
  const choose = () => input.current?.click()
  return (
    <Group component="fieldset" gap="0.5rem 0.75rem" aria-label={label}>
      <HiddenFileInput
        ref={input}
        label={`${label}: file`}
        accept="image/*"
        disabled={disabled}
        onFiles={([file]) => file && upload.mutate(file)}
      />
      <span className={classes.ownPicture} data-wide={isWide || undefined}>
        {picture.data ? <img src={picture.data.url} alt="" /> : <IconPhoto {...ICON} />}
      </span>
      <Stack gap={0} flex="1 1 12rem" miw={0} fz="xs">
        <Text span inherit fw={600}>
          {label}
        </Text>
        <Text span inherit id={helpId} c={problem !== null || isGone ? 'var(--r-failed)' : 'dimmed'}>
          {problem !== null ? (
            <span role="alert">{problem}</span>
          ) : (
            (describe({ isUploading: upload.isPending, isGone, picture: picture.data, fit }) ?? help)
          )}
        </Text>
      </Stack>
      <Group align="stretch" gap="0.25rem">
        <Button
          size="xs"
          variant="default"
          onClick={choose}
          disabled={disabled}
          loading={upload.isPending}
          aria-describedby={helpId}
          {...(value !== null && { 'aria-label': 'Replace picture' })}
        >
          {value === null ? 'Use a picture' : 'Replace'}
        </Button>
        {value !== null && (
          <Button
            size="xs"
            variant="subtle"
            aria-label="Remove picture"
            disabled={disabled || upload.isPending}
            onClick={() => {
              upload.reset()
              onChange(null)
            }}
          >
            Remove
          </Button>
        )}
      </Group>
    </Group>
  )
}

type State = Pick<Props, 'fit'> & { isUploading: boolean; isGone: boolean; picture: Picture | undefined }

/** Null: there is no picture. */
function describe({ isUploading, isGone, picture, fit }: State): string | null {
  if (isUploading) return 'Uploading the picture …'
  if (isGone) return "This picture isn't stored any more. Choose another one, or remove it."
  return picture ? [`${picture.width} × ${picture.height}.`, fit(picture)].filter(Boolean).join(' ') : null
}
