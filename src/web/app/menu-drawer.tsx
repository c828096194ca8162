import { Drawer } from '@mantine/core'
import '@mantine/core/styles/Drawer.css'
import { useMounted } from '@mantine/hooks'
import { Logo } from '#web/ui/logo.tsx'
import classes from './dashboard.module.css'
import { Sidebar } from './sidebar.tsx'

/** The sidebar as a drawer on small screens. Loaded when first opened. */
export default function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  // Opens after mounting; otherwise Mantine does not know where to return the focus.
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
