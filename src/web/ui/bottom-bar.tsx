import { Button } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import classes from './bottom-bar.module.css'

/** The bar stands at the foot of a list; on a phone it replaces the page's action. */
export const BottomBar = ({ label, children }: { label: string; children: ReactNode }) => (
  <section className={classes.bottomBar} aria-label={label}>
    {children}
  </section>
)

type BarButtonProps = Omit<ComponentProps<typeof Button<'button'>>, 'children'> & {
  icon: ReactNode
  label: string
}

/** Icon and word; on a phone one above the other. */
export const BarButton = ({ icon, label, ...rest }: BarButtonProps) => (
  <Button
    variant="default"
    classNames={{
      root: classes.barButton ?? '',
      inner: classes.barInner ?? '',
      label: classes.barLabel ?? '',
    }}
    leftSection={icon}
    {...rest}
  >
    {label}
  </Button>
)
