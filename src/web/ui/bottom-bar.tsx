import { Button } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import classes from './bottom-bar.module.css'

type Props = {
  label: string
  /** It ends a form; else it stands at the foot of a list, and on a phone replaces the page's action. */
  ofForm?: boolean
  children: ReactNode
}

/** Stays at the bottom of the window. */
export const BottomBar = ({ label, ofForm = false, children }: Props) => (
  <section
    className={classes.bottomBar}
    data-bottom-bar
    data-of-form={ofForm || undefined}
    aria-label={label}
  >
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
