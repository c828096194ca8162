import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { InstagramChrome, instagramSafeArea } from '#web/platforms/instagram/chrome.tsx'
import { TikTokChrome, tiktokSafeArea } from '#web/platforms/tiktok/chrome.tsx'
import { YouTubeChrome, youtubeSafeArea } from '#web/platforms/youtube/chrome.tsx'

/** A platform's app surrounds a video with these. `caption` stands in its place, clamped by `captionLines`. */
type ChromeProps = { account: Account; caption: ReactNode }

/** The app covers this share of the picture at each edge. */
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

/** Our own plain drawings of each platform's app. */
export const PHONE_CHROME: Record<PlatformId, PhoneChrome> = {
  tiktok: { Chrome: TikTokChrome, captionLines: 2, safeArea: tiktokSafeArea },
  instagram: { Chrome: InstagramChrome, captionLines: 1, safeArea: instagramSafeArea },
  youtube: { Chrome: YouTubeChrome, captionLines: 2, safeArea: youtubeSafeArea },
}
