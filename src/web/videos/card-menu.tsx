import { ActionIcon, Menu } from '@mantine/core'
import {
  IconDots,
  IconDownload,
  IconPencil,
  IconPlayerPlay,
  IconPlus,
  IconTag,
  IconTrash,
  IconWand,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Video } from '#contract/videos.ts'
import { ICON } from '#web/ui/icons.tsx'
import { PATHS } from '#web/lib/paths.ts'
import { useUid } from '#web/session/browser-store.ts'
import type { Asked } from './library-dialogs.tsx'
import { fixInLibrary, planLibraryFix } from './upload-video.ts'

type Props = {
  video: Video
  /** One can tab to it: its card has the focus. */
  isActive: boolean
  onAsk: (asked: Asked, video: Video) => void
  onDownload: (video: Video) => void
}

export function CardMenu({ video, isActive, onAsk, onDownload }: Props) {
  const uid = useUid()
  const fix = planLibraryFix(video)
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon
          size={26}
          aria-label={`More about ${video.filename}`}
          title={`More about ${video.filename}`}
          tabIndex={isActive ? 0 : -1}
        >
          <IconDots {...ICON} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlayerPlay {...ICON} />} onClick={() => onAsk('play', video)}>
          Play
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={() => onAsk('rename', video)}>
          Rename
        </Menu.Item>
        <Menu.Item leftSection={<IconTag {...ICON} />} onClick={() => onAsk('tags', video)}>
          Tags
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload {...ICON} />} onClick={() => onDownload(video)}>
          Download
        </Menu.Item>
        {fix !== null && (
          <Menu.Item leftSection={<IconWand {...ICON} />} onClick={() => void fixInLibrary(uid, video, fix)}>
            Fix
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconPlus {...ICON} />}
          component={Link}
          to={`${PATHS.compose}?video=${video.video_id}`}
        >
          New post
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash {...ICON} />}
          c="var(--r-failed)"
          onClick={() => onAsk('delete', video)}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
