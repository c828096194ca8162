import { Drawer } from '@mantine/core'
import { Logo } from '#web/ui/logo.tsx'
import classes from './dashboard.module.css'
import { Sidebar } from './sidebar.tsx'

/** The sidebar where there is no room beside the page. Loaded when it is first opened. */
export default function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={280}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
      title={<Logo />}
      classNames={{ body: classes.drawerBody }}
    >
      <Sidebar onGo={onClose} />
    </Drawer>
  )
}
