import type { FormEventHandler, ReactNode } from 'react'
import classes from './front-page.module.css'
import { Logo } from './logo.tsx'
import { usePageTitle } from './page-title.ts'

type Props = { title: string; children: ReactNode; footer?: ReactNode }

/** A page before log-in: the logo, one card with one purpose, links below. */
export function FrontPage({ title, children, footer }: Props) {
  usePageTitle(title)
  return (
    <div className={classes.page}>
      <header>
        <Logo />
      </header>
      <main className={classes.card}>
        <h1 className={classes.title}>{title}</h1>
        {children}
      </main>
      {footer !== undefined && <footer className={classes.footer}>{footer}</footer>}
    </div>
  )
}

/** The form in such a card. The browser's own checks are off: ours speak in the product's words. */
export function FrontForm({
  onSubmit,
  children,
}: {
  onSubmit: FormEventHandler<HTMLFormElement>
  children: ReactNode
}) {
  return (
    <form className={classes.form} onSubmit={onSubmit} noValidate>
      {children}
    </form>
  )
}
