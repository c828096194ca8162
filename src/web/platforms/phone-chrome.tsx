import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { InstagramChrome, instagramSafeArea } from '#web/platforms/instagram/chrome.tsx'
import { TikTokChrome, tiktokSafeArea } from '#web/platforms/tiktok/chrome.tsx'

/** What a platform's app shows around a video. `caption` stands in its place, clamped by `captionLines`. */
type ChromeProps = { account: Account; caption: ReactNode }

/** What the app covers at each edge, as a share of the picture's side. */
type SafeArea = {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

type PhoneChrome = {
  readonly Chrome: (props: ChromeProps) => ReactNode
  /** Lines of the caption before "more". */
  readonly captionLines: number
  readonly safeArea: SafeArea
}

/** How a post looks on a phone, in our own plain drawing. */
export const PHONE_CHROME: Record<PlatformId, PhoneChrome> = {
  tiktok: { Chrome: TikTokChrome, captionLines: 2, safeArea: tiktokSafeArea },
  instagram: { Chrome: InstagramChrome, captionLines: 1, safeArea: instagramSafeArea },
}
