import { useEffect, useState } from 'react'

/** The current time (epoch ms), updated every `everyMs`. */
export function useNow(everyMs = 20_000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
