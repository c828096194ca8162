import { BROWSER_USER_KEY } from '#web/lib/storage-keys.ts'

/**
 * Records who is logged in in this browser, for all its tabs. `provider`: the API key, because the SDK stores a user of each.
 * @param uid null: the user has logged out
 */
export function recordUser(provider: string, uid: string | null): void {
  try {
    localStorage.setItem(BROWSER_USER_KEY, recordOf(provider, uid ?? ''))
  } catch {
    // The storage is full. An older record would end this login.
    localStorage.removeItem(BROWSER_USER_KEY)
  }
}

const recordOf = (provider: string, uid: string): string => `${provider}:${uid}`

/** Whether this user has logged out since, in any tab. False where nothing is recorded, as for who logged in with an older version. */
export function hasLoggedOut(provider: string, uid: string): boolean {
  const recorded = localStorage.getItem(BROWSER_USER_KEY)
  return (
    recorded !== null && recorded.startsWith(recordOf(provider, '')) && recorded !== recordOf(provider, uid)
  )
}

/** Whether nobody has logged in since the last log-out. */
export const isLoggedOut = (provider: string): boolean =>
  localStorage.getItem(BROWSER_USER_KEY) === recordOf(provider, '')

/** Calls back when another tab has logged out. */
export const onLogOutInOtherTab = (listener: () => void): void =>
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === BROWSER_USER_KEY && newValue?.endsWith(':')) listener()
  })
