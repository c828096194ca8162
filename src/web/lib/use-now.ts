import { useEffect, useState } from 'react'
import { onServerTimeChange, serverNow } from './server-time.ts'

/** The current time at the server (epoch ms), updated every `everyMs`. */
export function useNow(everyMs = 20_000): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const update = () => setNow(serverNow())
    const timer = setInterval(update, everyMs)
    const stop = onServerTimeChange(update)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [everyMs])
  return now
}
