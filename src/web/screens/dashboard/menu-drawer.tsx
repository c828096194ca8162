import { Drawer } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { Logo } from '#web/components/page/logo.tsx'
import classes from './dashboard.module.css'
import { Sidebar } from './sidebar.tsx'

/** The sidebar where there is no room beside the page. Loaded when it is first opened. */
export default function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  // It must be seen to open, or it does not know whom to give the focus back to.
  const there = useMounted()
  return (
    <Drawer
      opened={opened && there}
      onClose={onClose}
      size={280}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
      title={<Logo />}
      classNames={{ header: classes.drawerHead, body: classes.drawerBody }}
    >
      <Sidebar onGo={onClose} />
    </Drawer>
  )
}
