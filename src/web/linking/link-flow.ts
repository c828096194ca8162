import { z } from 'zod'
import { BrandId, type AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { call } from '#web/client/api.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { LINKS_KEY, oauthStateKey, STORAGE_KEYS } from '#web/lib/storage-keys.ts'

type Link = { platform: PlatformId; brandId: BrandId; accountId?: AccountId | undefined }

/** Goes to the platform's consent page; the platform leads back to our callback. `accountId`: to link this very one again. */
export async function goToConsent({ platform, brandId, accountId }: Link): Promise<void> {
  const body = { brand_id: brandId, account_id: accountId }
  const { url, state } = await call('startLink', { params: { platform }, body })
  localStorage.setItem(oauthStateKey(platform), state)
  localStorage.setItem(STORAGE_KEYS.brandId, String(brandId))
  localStorage.setItem(LINKS_KEY, JSON.stringify([{ state, brandId }, ...readLinks()].slice(0, LINKS_MAX)))
  location.assign(url)
}

/** A link that was started, in this tab or another. */
const Started = z.object({ state: z.string(), brandId: BrandId })
/** More than anybody has open; the server forgets each after ten minutes. */
const LINKS_MAX = 10

const readLinks = () => z.array(Started).safeParse(jsonOf(localStorage.getItem(LINKS_KEY) ?? '')).data ?? []

/** What was kept for this platform when the user left for it. */
export type Kept = { readonly state: string | null; readonly brandId: BrandId | null }

/** `returned`: the state that the platform led back with. Another tab may have left for the platform since. */
export function readKept(platform: PlatformId, returned: string | null): Kept {
  const started = readLinks().find(({ state }) => state === returned)
  if (started) return started
  const brandId = BrandId.safeParse(localStorage.getItem(STORAGE_KEYS.brandId) ?? undefined)
  return {
    state: localStorage.getItem(oauthStateKey(platform)),
    brandId: brandId.success ? brandId.data : null,
  }
}

/** Once the account is linked. Until then a second look must find it: the answer may have been lost on its way. */
export function forgetKept(platform: PlatformId, linked: string): void {
  const others = readLinks().filter(({ state }) => state !== linked)
  if (others.length > 0) localStorage.setItem(LINKS_KEY, JSON.stringify(others))
  else localStorage.removeItem(LINKS_KEY)
  // The specified keys are the latest link's.
  if (localStorage.getItem(oauthStateKey(platform)) !== linked) return
  localStorage.removeItem(oauthStateKey(platform))
  localStorage.removeItem(STORAGE_KEYS.brandId)
}

/** What a platform's way back means, before the server is asked. */
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

/** Reads the address that a platform led back to. The code counts only with the very state that was kept. */
export function readReturn(search: URLSearchParams, kept: Kept): Return {
  const error = search.get('error')
  const state = search.get('state')
  const code = search.get('code')
  if (error === null && code === null) return { kind: 'nothing' }
  if (state === null || state !== kept.state) return { kind: 'mismatch' }
  // "access_denied" is also said of accounts that the platform itself keeps out; then a type says which these are.
  const type = search.get('error_type')
  if (error === 'access_denied' && type === null) return { kind: 'declined' }
  if (code === null) {
    const words = search.get('error_description') ?? error ?? ''
    return { kind: 'refused', reason: type === null ? words : `${words} (${type})` }
  }
  return { kind: 'finish', code, state, brandId: kept.brandId }
}
