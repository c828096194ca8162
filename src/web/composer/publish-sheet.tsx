import { Drawer } from '@mantine/core'
import '@mantine/core/styles/Drawer.css'
import type { ReactNode } from 'react'
import classes from './publish.module.css'

type Props = { title: string; onClose: () => void; children: ReactNode }

/** A part of the page that a phone shows from the bottom edge, on demand. */
export function Sheet({ title, onClose, children }: Props) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="bottom"
      classNames={{ content: classes.sheet ?? '' }}
      styles={{ title: { fontSize: '0.9375rem', fontWeight: 650 } }}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  )
}
