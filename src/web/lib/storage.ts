// All that the browser keeps for this site. `localStorage` is null in some web views, and refused where all site data is blocked:
// then the tab's `sessionStorage` is used, and where that is missing too, the page's memory.

/** Null: it is missing or refused. */
function openStorage(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return globalThis[name] ?? null
  } catch {
    return null
  }
}

const findStorage = (): Storage | null => openStorage('localStorage') ?? openStorage('sessionStorage')

const inMemory = new Map<string, string>()

/** Stored items last for the browser's next visits, or until its tab is closed, or the page is left. */
export function storageLife(): 'browser' | 'tab' | 'page' {
  if (openStorage('localStorage') !== null) return 'browser'
  return openStorage('sessionStorage') === null ? 'page' : 'tab'
}

export function readItem(key: string): string | null {
  const storage = findStorage()
  return storage === null ? (inMemory.get(key) ?? null) : storage.getItem(key)
}

/** @returns false: the storage is full, and has what it had */
export function writeItem(key: string, value: string): boolean {
  const storage = findStorage()
  if (storage === null) {
    inMemory.set(key, value)
    return true
  }
  try {
    storage.setItem(key, value)
    return true
  } catch {
    return false
  }
}

export function removeItem(key: string): void {
  inMemory.delete(key)
  findStorage()?.removeItem(key)
}

export const storedKeys = (): string[] => Object.keys(findStorage() ?? Object.fromEntries(inMemory))

/** Calls back when another tab has written this key. @returns an end to that */
export function onItemChange(key: string, listener: (value: string | null) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === key) listener(event.newValue)
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
