import { Button } from '@mantine/core'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { CenteredMessage } from './centered-message.tsx'
import { InlineAlert } from './inline-alert.tsx'
import classes from './ui.module.css'

const REQUEST_TIMEOUT_MS = 5_000
const RETRY_MS = 4_000

/** Load errors of code and styles: offline, or after an update, when the old build's files no longer exist. */
const notLoaded = new WeakSet<Error>()
addEventListener('vite:preloadError', ({ payload }) => notLoaded.add(payload))
export const isNotLoaded = (error: unknown): boolean => error instanceof Error && notLoaded.has(error)

// Vite asks for a style sheet once, so those that failed are asked for again here.
const failedStyles = new Set<HTMLLinkElement>()
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target)
  },
  { capture: true },
)

/** @throws where one of them still cannot be loaded */
export async function loadFailedStyles(): Promise<void> {
  const failed = [...failedStyles]
  failedStyles.clear()
  await Promise.all(
    failed.map((link) => {
      const again = document.createElement('link')
      Object.assign(again, { rel: link.rel, crossOrigin: link.crossOrigin, href: link.href })
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      again.addEventListener('load', () => resolve())
      again.addEventListener('error', () => reject(new Error(`Couldn't load ${link.href}`)))
      link.replaceWith(again)
      return promise
    }),
  )
}

/** `gone`: the server answers, and the code no longer exists. */
type Obstacle = 'offline' | 'gone'

/** @param open loads what could not be loaded; rejects if its code no longer exists */
type Open = () => Promise<void>

/** Opens what could not be loaded as soon as the server answers again. @param atOnce it may already do so */
export function useReopening(open: Open, atOnce = true) {
  const [state, setState] = useState<'asking' | 'opened' | Obstacle>(navigator.onLine ? 'asking' : 'offline')
  const [isTrying, setIsTrying] = useState(false)
  const attempt = useCallback(() => tryToOpen(open).then(setState), [open])
  useEffect(() => {
    if (state === 'asking') void (atOnce ? attempt() : findObstacle().then(setState))
    if (state !== 'offline') return
    const timer = setInterval(() => void attempt(), RETRY_MS)
    const onOnline = () => void attempt()
    addEventListener('online', onOnline)
    return () => {
      clearInterval(timer)
      removeEventListener('online', onOnline)
    }
  }, [state, attempt, atOnce])
  const tryAgain = () => {
    setIsTrying(true)
    void attempt().finally(() => setIsTrying(false))
  }
  return { obstacle: state === 'offline' || state === 'gone' ? state : null, isTrying, tryAgain }
}

async function tryToOpen(open: Open): Promise<'opened' | Obstacle> {
  const obstacle = await findObstacle()
  return obstacle === 'offline' ? obstacle : open().then(() => 'opened', findObstacle)
}

/** Asks whether the server answers at all; if so, the code is gone. */
const findObstacle = (): Promise<Obstacle> =>
  fetch('/favicon.svg', {
    method: 'HEAD',
    cache: 'no-store',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).then(
    () => 'gone',
    () => 'offline',
  )

type PageProps = {
  open: Open
  /** Wraps the message, with its title, in the layout. */
  frame: (title: string, content: ReactNode) => ReactNode
  /** Shown when the server answers but the page's code no longer exists. */
  gone: ReactNode
  /** Outside the dashboard's frame, where opening is a reload: not at once, or it would go on for ever. */
  inFront?: boolean
}

/** Stands for a page whose code could not be loaded. */
export function PageNotLoaded({ open, frame, gone, inFront = false }: PageProps) {
  const { obstacle, isTrying, tryAgain } = useReopening(open, !inFront)
  if (obstacle === null) return null
  if (obstacle === 'gone') return gone
  return frame(
    'No connection',
    <div role="alert">
      <CenteredMessage
        inCard={inFront}
        text="Couldn't load this page, because the server can't be reached. Check your connection. The page opens as soon as you're back online."
        action={
          <Button loading={isTrying} onClick={tryAgain}>
            Try again
          </Button>
        }
      />
    </div>,
  )
}

/** Stands for a part of a page whose code could not be loaded. `children`: a further button. */
export function PartNotLoaded({ open, children }: { open: Open; children?: ReactNode }) {
  const { obstacle, isTrying, tryAgain } = useReopening(open)
  if (obstacle === null) return null
  return (
    <InlineAlert
      actions={
        <>
          {obstacle === 'gone' ? (
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              Reload page
            </Button>
          ) : (
            <Button size="xs" variant="default" loading={isTrying} onClick={tryAgain}>
              Try again
            </Button>
          )}
          {children}
        </>
      }
    >
      {obstacle === 'gone' ? PART_GONE : PART_OFFLINE}
    </InlineAlert>
  )
}
const PART_OFFLINE =
  "Couldn't load this part of the page, because the server can't be reached. It opens as soon as you're back online."
const PART_GONE =
  "Couldn't load this part of the page. Reelay was updated since you opened it. Reload the page."

/** Stands for a dialog whose code could not be loaded: in view, wherever the page is scrolled to. */
export function DialogNotLoaded({ open, onClose }: { open: Open; onClose: () => void }) {
  return (
    <div className={classes.dialog}>
      <PartNotLoaded open={open}>
        <Button size="xs" variant="subtle" onClick={onClose}>
          Close
        </Button>
      </PartNotLoaded>
    </div>
  )
}

/** Stands for what nobody waits for: it comes by itself once it can be loaded. */
export function NothingYet({ open }: { open: Open }) {
  useReopening(open)
  return null
}
