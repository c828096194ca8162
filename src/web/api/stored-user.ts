import { User } from '#contract/users.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { readItem, writeItem } from '#web/lib/storage.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'

/** Stores the profile in the browser, so that the next visit shows the greeting at once. */
export function storeUser(user: User): User {
  // If the storage is full, the next visit shows the greeting a moment later.
  writeItem(STORAGE_KEYS.userData, JSON.stringify(user))
  return user
}

/** The stored profile; `undefined` if there is none that this version can read. */
export function storedUser(): User | undefined {
  const kept = User.safeParse(jsonOf(readItem(STORAGE_KEYS.userData) ?? ''))
  return kept.success ? kept.data : undefined
}
