import { onItemChange, readItem, removeItem, writeItem } from '#web/lib/storage.ts'
import { BROWSER_USER_KEY } from '#web/lib/storage-keys.ts'

/**
 * Records who is logged in in this browser, for all its tabs. `provider`: the API key, because the SDK stores a user of each.
 * @param uid null: the user has logged out
 */
export function recordUser(provider: string, uid: string | null): void {
  // An older record would end this login.
  if (!writeItem(BROWSER_USER_KEY, recordOf(provider, uid ?? ''))) removeItem(BROWSER_USER_KEY)
}

const recordOf = (provider: string, uid: string): string => `${provider}:${uid}`

/** True if this user has logged out since in any tab. Users who logged in with an older version have no record. */
export function hasLoggedOut(provider: string, uid: string): boolean {
  const recorded = readItem(BROWSER_USER_KEY)
  return (
    recorded !== null && recorded.startsWith(recordOf(provider, '')) && recorded !== recordOf(provider, uid)
  )
}

export const isLoggedOut = (provider: string): boolean =>
  readItem(BROWSER_USER_KEY) === recordOf(provider, '')

/** Calls back when another tab has logged out. */
export const onLogOutInOtherTab = (listener: () => void): void =>
  void onItemChange(BROWSER_USER_KEY, (record) => {
    if (record?.endsWith(':') === true) listener()
  })
