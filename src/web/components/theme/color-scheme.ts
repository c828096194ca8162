import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'

const KEY = STORAGE_KEYS.darkMode

const read = (stored: string | null, otherwise: MantineColorScheme): MantineColorScheme =>
  stored === 'true' ? 'dark' : stored === 'false' ? 'light' : otherwise

/** Keeps the choice of the settings screen, and follows it when another tab changes it. */
export function storedColorScheme(): MantineColorSchemeManager {
  let listener: ((event: StorageEvent) => void) | undefined
  const unsubscribe = () => {
    if (listener) window.removeEventListener('storage', listener)
    listener = undefined
  }
  return {
    get: (otherwise) => read(localStorage.getItem(KEY), otherwise),
    set: (scheme) => {
      if (scheme === 'auto') localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, String(scheme === 'dark'))
    },
    subscribe: (onUpdate) => {
      unsubscribe()
      listener = (event) => {
        if (event.storageArea === localStorage && event.key === KEY) onUpdate(read(event.newValue, 'auto'))
      }
      window.addEventListener('storage', listener)
    },
    unsubscribe,
    clear: () => localStorage.removeItem(KEY),
  }
}
