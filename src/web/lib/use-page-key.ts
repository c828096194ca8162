import { useEffect, useEffectEvent } from 'react'

/** Calls back for a key that is pressed on the page itself: not while somebody types, nor in a menu or dialog above it. */
export function usePageKey(key: string, onPress: () => void): void {
  const press = useEffectEvent(onPress)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.defaultPrevented || isElsewhere(event.target)) return
      event.preventDefault()
      press()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [key])
}

const ELSEWHERE = 'input:not([type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]'

const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(ELSEWHERE) !== null)
