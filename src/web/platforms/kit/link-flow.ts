import { z } from 'zod'
import { BrandId, type AccountId } from '#contract/ids.ts'
import type { OptionalPermission, PlatformId } from '#contract/platforms/index.ts'
import { call } from '#web/api/api.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { readItem, removeItem, storageLife, writeItem } from '#web/lib/storage.ts'
import { LINKS_KEY, oauthStateKey, STORAGE_KEYS } from '#web/lib/storage-keys.ts'

type Link = {
  platform: PlatformId
  brandId: BrandId
  accountId?: AccountId | undefined
  permissions?: readonly OptionalPermission[]
}

/**
 * Opens the platform's consent page, which redirects to our callback. `accountId`: links this account again. `permissions`:
 * asked for beside the usual ones.
 */
export async function goToConsent({ platform, brandId, accountId, permissions }: Link): Promise<void> {
  // The platform sends the browser back to a page that has to know of this.
  if (storageLife() === 'page') throw new Error(KEEPS_NOTHING)
  const body = {
    brand_id: brandId,
    account_id: accountId,
    ...(permissions && permissions.length > 0 && { permissions: [...permissions] }),
  }
  const { url, state } = await call('startLink', { params: { platform }, body })
  const links = [{ state, brandId }, ...readLinks()].slice(0, LINKS_MAX)
  if (!writeItem(LINKS_KEY, JSON.stringify(links))) throw new Error(KEEPS_NOTHING)
  writeItem(oauthStateKey(platform), state)
  writeItem(STORAGE_KEYS.brandId, String(brandId))
  location.assign(url)
}

const KEEPS_NOTHING =
  "This browser doesn't save data for this page, so it could not finish the link. Allow site data, or use another browser."

/** A started link, in this tab or another. */
const Started = z.object({ state: z.string(), brandId: BrandId })
/** More than anyone has open; each expires after ten minutes. */
const LINKS_MAX = 10

const readLinks = () => z.array(Started).safeParse(jsonOf(readItem(LINKS_KEY) ?? '')).data ?? []

export type StoredLink = { readonly state: string | null; readonly brandId: BrandId | null }

/** `returned`: the redirect's state. Another tab may have started a link since. */
export function readStoredLink(platform: PlatformId, returned: string | null): StoredLink {
  const started = readLinks().find(({ state }) => state === returned)
  if (started) return started
  const brandId = BrandId.safeParse(readItem(STORAGE_KEYS.brandId) ?? undefined)
  return {
    state: readItem(oauthStateKey(platform)),
    brandId: brandId.success ? brandId.data : null,
  }
}

/** Called once the account is linked; not before, because a lost answer is retried. */
export function removeStoredLink(platform: PlatformId, linked: string): void {
  const others = readLinks().filter(({ state }) => state !== linked)
  if (others.length > 0) writeItem(LINKS_KEY, JSON.stringify(others))
  else removeItem(LINKS_KEY)
  // The specified keys belong to the latest link.
  if (readItem(oauthStateKey(platform)) !== linked) return
  removeItem(oauthStateKey(platform))
  removeItem(STORAGE_KEYS.brandId)
}

/** The meaning of the platform's redirect, before the server is asked. */
export type Return =
  | {
      readonly kind: 'finish'
      readonly code: string
      readonly state: string
      readonly brandId: BrandId | null
    }
  | { readonly kind: 'declined' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'nothing' }

/** Parses the redirect. The code is used only if its state equals the stored one. */
export function readReturn(search: URLSearchParams, stored: StoredLink): Return {
  const error = search.get('error')
  const state = search.get('state')
  const code = search.get('code')
  if (error === null && code === null) return { kind: 'nothing' }
  if (state === null || state !== stored.state) return { kind: 'mismatch' }
  // "access_denied" with an `error_type` means that the platform excludes the account.
  const type = search.get('error_type')
  if (error === 'access_denied' && type === null) return { kind: 'declined' }
  if (code === null) {
    const words = search.get('error_description') ?? error ?? ''
    return { kind: 'refused', reason: type === null ? words : `${words} (${type})` }
  }
  return { kind: 'finish', code, state, brandId: stored.brandId }
}
