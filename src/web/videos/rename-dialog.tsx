import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { VIDEO_NAME_MAX_CHARS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { extensionOf } from '#domain/library/video-names.ts'
import { call } from '#web/api/api.ts'
import { refreshVideos, replaceVideos } from '#web/api/videos.ts'
import { messageOf } from '#web/lib/message-of.ts'

type Props = { video: Video; onChanged: (videos: readonly Video[]) => void; onClose: () => void }

/** Another name for a video. */
export function RenameDialog({ video, onChanged, onClose }: Props) {
  const extension = extensionOf(video.filename)
  const [name, setName] = useState(video.filename.slice(0, video.filename.length - extension.length))
  const [isEmpty, setEmpty] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      call('updateVideo', {
        params: { videoId: video.video_id },
        body: { filename: name.trim() + extension },
      }),
    onSuccess: (renamed) => {
      replaceVideos([renamed])
      onChanged([renamed])
      refreshVideos()
      onClose()
    },
  })
  const submit = () => {
    if (save.isPending) return
    setEmpty(name.trim() === '')
    if (name.trim() !== '') save.mutate()
  }
  return (
    <Modal opened onClose={onClose} title="Rename video">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack pt="0.25rem">
          <TextInput
            label="Name"
            data-autofocus
            autoComplete="off"
            maxLength={VIDEO_NAME_MAX_CHARS - extension.length}
            value={name}
            rightSection={
              extension !== '' && (
                <Text span c="dimmed" size="xs">
                  {extension}
                </Text>
              )
            }
            rightSectionWidth={56}
            error={isEmpty ? TEXTS.videoUnnamed : save.error && messageOf(save.error, TEXTS.unknownError)}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => {
              setName(event.currentTarget.value)
              setEmpty(false)
              save.reset()
            }}
          />
          <Group align="stretch" wrap="nowrap" justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
