import { Button } from '@mantine/core'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { EmptyState } from '#web/components/feedback/empty-state.tsx'

const REQUEST_TIMEOUT_MS = 5_000
const RETRY_MS = 4_000

type Props = {
  /** Loads the page once the server answers again; rejects if its code no longer exists. */
  open: () => Promise<void>
  /** Wraps the message, with its title, in the layout. */
  frame: (title: string, content: ReactNode) => ReactNode
  /** Shown when the server answers but the page's code no longer exists. */
  gone: ReactNode
  inCard?: boolean
}

/** Shown when a page's code could not be loaded. Offline, it says so and retries until the connection is back. */
export function NotLoaded({ open, frame, gone, inCard = false }: Props) {
  const [state, setState] = useState<'asking' | 'offline' | 'gone'>(navigator.onLine ? 'asking' : 'offline')
  const [trying, setTrying] = useState(false)
  const isOffline = state === 'offline'
  useEffect(() => {
    if (state !== 'asking') return
    let shown = true
    void isReachable().then((reachable) => shown && setState(reachable ? 'gone' : 'offline'))
    return () => {
      shown = false
    }
  }, [state])
  const attempt = useCallback(async () => {
    if (await isReachable()) await open().catch(() => setState('gone'))
  }, [open])
  useEffect(() => {
    if (!isOffline) return
    const timer = setInterval(() => void attempt(), RETRY_MS)
    const onOnline = () => void attempt()
    addEventListener('online', onOnline)
    return () => {
      clearInterval(timer)
      removeEventListener('online', onOnline)
    }
  }, [isOffline, attempt])

  if (state === 'asking') return null
  if (state === 'gone') return gone
  return frame(
    'No connection',
    <div role="alert">
      <EmptyState
        inCard={inCard}
        drawing="nothing"
        text="Couldn't load this page, because the server can't be reached. Check your connection. The page opens as soon as you're back online."
        action={
          <Button
            loading={trying}
            onClick={() => {
              setTrying(true)
              void attempt().finally(() => setTrying(false))
            }}
          >
            Try again
          </Button>
        }
      />
    </div>,
  )
}

/** Whether the server answers at all. */
const isReachable = (): Promise<boolean> =>
  fetch('/favicon.svg', {
    method: 'HEAD',
    cache: 'no-store',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).then(
    () => true,
    () => false,
  )
