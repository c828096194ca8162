import { Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import classes from './ui.module.css'
import { InlineAlert } from './inline-alert.tsx'
import { storageLife } from '#web/lib/storage.ts'
import { Logo } from './logo.tsx'
import { usePageTitle } from './page-title.ts'

type Props = { title: string; children: ReactNode; footer?: ReactNode }

/** The layout of a page before login: the logo, one card, links below. */
export function FrontPage({ title, children, footer }: Props) {
  usePageTitle(title)
  return (
    <div className={classes.page}>
      <header>
        <Logo />
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
      {footer !== undefined && <footer>{footer}</footer>}
    </div>
  )
}

/** The form in that card. `noValidate`: our own messages replace the browser's. */
export function FrontForm({
  onSubmit,
  children,
}: {
  onSubmit: FormEventHandler<HTMLFormElement>
  children: ReactNode
}) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>{children}</Stack>
    </form>
  )
}

export const StorageNote = () =>
  storageLife() !== 'browser' && (
    <InlineAlert tone="note">
      This browser doesn't save data for this page, so you may have to log in again each time you open it.
      Allow site data to stay logged in, or use another browser.
    </InlineAlert>
  )
