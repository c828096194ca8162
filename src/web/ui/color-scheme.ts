import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'
import { onItemChange, readItem, removeItem, writeItem } from '#web/lib/storage.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'

const KEY = STORAGE_KEYS.darkMode

const read = (stored: string | null, otherwise: MantineColorScheme): MantineColorScheme =>
  stored === 'true' ? 'dark' : stored === 'false' ? 'light' : otherwise

/** Keeps the choice of the settings screen, and follows it when another tab changes it. */
export function storedColorScheme(): MantineColorSchemeManager {
  let unsubscribe: (() => void) | undefined
  return {
    get: (otherwise) => read(readItem(KEY), otherwise),
    set: (scheme) => {
      if (scheme === 'auto') removeItem(KEY)
      else writeItem(KEY, String(scheme === 'dark'))
    },
    subscribe: (onUpdate) => {
      unsubscribe?.()
      unsubscribe = onItemChange(KEY, (stored) => onUpdate(read(stored, 'auto')))
    },
    unsubscribe: () => unsubscribe?.(),
    clear: () => removeItem(KEY),
  }
}
