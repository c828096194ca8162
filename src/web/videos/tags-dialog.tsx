import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { VIDEO_TAG_MAX_CHARS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { libraryQuery, refreshVideos, replaceVideos } from '#web/api/videos.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { counted } from '#web/lib/amounts.ts'
import classes from './videos.module.css'
import { listTags, sentChanges, typedTag, type TagChanges } from './tag-changes.ts'

type Props = {
  videos: readonly Video[]
  onChanged: (videos: readonly Video[]) => void
  onClose: () => void
}

/** The tags of one video or of several at once. */
export function TagsDialog({ videos, onChanged, onClose }: Props) {
  const known = useQuery(libraryQuery).data?.tags ?? []
  const [changes, setChanges] = useState<TagChanges>(new Map())
  const [typed, setTyped] = useState('')
  const listed = listTags(known, videos, changes)
  const withTyped = (): TagChanges => {
    const tag = typedTag(typed, listed)
    return tag === null ? changes : new Map(changes).set(tag, true)
  }
  const save = useMutation({
    mutationFn: (all: TagChanges) =>
      call('updateVideos', {
        body: { video_ids: videos.map(({ video_id }) => video_id), ...sentChanges(all) },
      }),
    onSuccess: (answer) => {
      replaceVideos(answer.videos)
      onChanged(answer.videos)
      refreshVideos()
      onClose()
    },
  })
  const add = () => {
    setChanges(withTyped())
    setTyped('')
  }
  const [first] = videos
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        videos.length === 1 ? `Tags of ${first?.filename}` : `Tags of ${counted(videos.length, 'video')}`
      }
    >
      <Stack pt="0.25rem">
        <NewTag typed={typed} onType={setTyped} onAdd={add} />
        {listed.length > 0 && (
          <Stack
            component="ul"
            gap="xs"
            p="0.125rem"
            mah="16rem"
            className={classes.scroll}
            aria-label="Tags"
          >
            {listed.map(({ tag, state }) => (
              <li key={tag}>
                <Checkbox
                  label={tag}
                  checked={state === 'all'}
                  indeterminate={state === 'some'}
                  onChange={() => setChanges(new Map(changes).set(tag, state !== 'all'))}
                />
              </li>
            ))}
          </Stack>
        )}
        {save.error && <InlineAlert>{messageOf(save.error, TEXTS.unknownError)}</InlineAlert>}
        <Group align="stretch" wrap="nowrap" justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={save.isPending}
            onClick={() => {
              const all = withTyped()
              if (all.size === 0) onClose()
              else save.mutate(all)
            }}
          >
            Save tags
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

type NewTagProps = { typed: string; onType: (typed: string) => void; onAdd: () => void }

/** Adds a tag to the list. */
const NewTag = ({ typed, onType, onAdd }: NewTagProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault()
      onAdd()
    }}
  >
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <TextInput
        flex={1}
        aria-label="New tag"
        placeholder="New tag"
        data-autofocus
        autoComplete="off"
        maxLength={VIDEO_TAG_MAX_CHARS}
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Add
      </Button>
    </Group>
  </form>
)
