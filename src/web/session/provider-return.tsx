import { useEffect, useEffectEvent, useRef } from 'react'
import { type Returned, takeReturn } from './provider-calls.ts'

/** Finishes the log-in from which a provider has led back. */
export default function ProviderReturn({ onReturned }: { onReturned: (returned: Returned) => void }) {
  const begun = useRef(false)
  const finish = useEffectEvent(async () => onReturned(await takeReturn()))
  useEffect(() => {
    // Once, as the server tells it once.
    if (begun.current) return
    begun.current = true
    void finish()
  }, [])
  return <output>Logging you in…</output>
}
