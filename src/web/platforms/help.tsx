import type { PlatformId } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'

type Help = {
  /** What a user should know before linking; null: nothing special. */
  readonly linking: string | null
  /** A limit of ours beside the platform's own; null: none. */
  readonly form: string | null
  /** What it takes to post to the real platform from this server. */
  readonly goingLive: string
}

/** What the help screen says of one platform alone. Facts as of 2026-09-11 (docs/platforms). */
export const PLATFORM_HELP: Record<PlatformId, Help> = {
  tiktok: {
    linking: null,
    form: null,
    goingLive:
      'Make an app at developers.tiktok.com. Until TikTok has audited it, it takes private posts only, and only from private accounts.',
  },
  instagram: {
    linking: 'Instagram takes professional accounts only: creator or business.',
    form: `The Instagram form on the Upload screen has a limit of its own: “${TEXTS.instagramTooLarge}”.`,
    goingLive:
      'Make an app at developers.facebook.com. Instagram fetches each video from this server, so its address must be reachable from the internet by HTTPS.',
  },
}
