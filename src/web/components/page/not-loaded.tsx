import { Button } from '@mantine/core'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { EmptyState } from '#web/components/feedback/empty-state.tsx'

/** How long an answer may take, and how long to wait before the server is asked again. */
const ASK_MS = 5_000
const AGAIN_MS = 4_000

type Props = {
  /** Opens the page once the server answers again; rejects where its code is gone. */
  open: () => Promise<void>
  /** Around what is said, with its title. */
  frame: (title: string, content: ReactNode) => ReactNode
  /** What to say where the server answers and the page's code is not there. */
  gone: ReactNode
  inCard?: boolean
}

/** A page whose code could not be fetched. Without a connection it says so, and opens by itself when there is one. */
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
    const timer = setInterval(() => void attempt(), AGAIN_MS)
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

/** Whether anything answers at the server's address. */
const isReachable = (): Promise<boolean> =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(ASK_MS) }).then(
    () => true,
    () => false,
  )
