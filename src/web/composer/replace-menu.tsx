import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconFolderOpen, IconMovie, IconTrash } from '@tabler/icons-react'
import { ICON } from '#web/ui/icons.tsx'

type Props = { disabled: boolean; onFile: () => void; onLibrary: () => void; onRemove: () => void }

/** Another video in the place of this one, or none. */
export const ReplaceMenu = ({ disabled, onFile, onLibrary, onRemove }: Props) => (
  <Menu>
    <Menu.Target>
      <Button
        variant="default"
        size="xs"
        disabled={disabled}
        rightSection={<IconChevronDown {...ICON} size={14} />}
      >
        Replace
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<IconFolderOpen {...ICON} />} onClick={onFile}>
        Choose a file
      </Menu.Item>
      <Menu.Item leftSection={<IconMovie {...ICON} />} onClick={onLibrary}>
        Choose from library
      </Menu.Item>
      <Menu.Item leftSection={<IconTrash {...ICON} />} onClick={onRemove}>
        Remove from post
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)
