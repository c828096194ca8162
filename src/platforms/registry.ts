import type { OptionalPermission, PlatformId } from '#contract/platforms/index.ts'
import type { InstagramConfig } from './instagram/api/config.ts'
import { FAILURE_CASES as INSTAGRAM_FAILURES } from './instagram/api/failures.ts'
import { HOOKS as INSTAGRAM_HOOKS } from './instagram/webhooks.ts'
import { createInstagram } from './instagram/index.ts'
import {
  COMMENT_SCOPES as INSTAGRAM_COMMENT_SCOPES,
  RESULTS_SCOPES as INSTAGRAM_RESULTS_SCOPES,
  SCOPES as INSTAGRAM_SCOPES,
} from './instagram/oauth.ts'
import {
  checkInstagramSetup,
  FETCHER_USER_AGENT,
  KEY_ANSWERS as INSTAGRAM_KEY_ANSWERS,
  SETTINGS as INSTAGRAM_SETTINGS,
} from './instagram/setup.ts'
import type { HookFacts } from './kit/webhooks.ts'
import type { Platform } from './kit/platform.ts'
import type { TikTokConfig } from './tiktok/api/config.ts'
import { FAILURE_CASES as TIKTOK_FAILURES } from './tiktok/api/failures.ts'
import { HOOKS as TIKTOK_HOOKS } from './tiktok/webhooks.ts'
import {
  checkTikTokSetup,
  KEY_ANSWERS as TIKTOK_KEY_ANSWERS,
  SETTINGS as TIKTOK_SETTINGS,
} from './tiktok/setup.ts'
import { createTikTok } from './tiktok/index.ts'
import {
  INBOX_SCOPES as TIKTOK_INBOX_SCOPES,
  RESULTS_SCOPES as TIKTOK_RESULTS_SCOPES,
  SCOPES as TIKTOK_SCOPES,
} from './tiktok/oauth.ts'
import type { FailureCase } from './kit/failure-rule.ts'
import type { AppSetting, KeyAnswers, SetupFacts, SetupFinding } from './kit/setup.ts'
import type { YouTubeConfig } from './youtube/api/config.ts'
import { FAILURE_CASES as YOUTUBE_FAILURES } from './youtube/api/failures.ts'
import { createYouTube } from './youtube/index.ts'
import {
  COMMENT_SCOPES as YOUTUBE_COMMENT_SCOPES,
  RESULTS_SCOPES as YOUTUBE_RESULTS_SCOPES,
  SCOPES as YOUTUBE_SCOPES,
} from './youtube/oauth.ts'
import {
  checkYouTubeSetup,
  KEY_ANSWERS as YOUTUBE_KEY_ANSWERS,
  SETTINGS as YOUTUBE_SETTINGS,
} from './youtube/setup.ts'

export { INSTAGRAM_LIVE } from './instagram/api/config.ts'
export type { InstagramConfig } from './instagram/api/config.ts'
export { TIKTOK_LIVE } from './tiktok/api/config.ts'
export type { TikTokConfig } from './tiktok/api/config.ts'
export { YOUTUBE_LIVE } from './youtube/api/config.ts'
export type { YouTubeConfig } from './youtube/api/config.ts'

type Off = { readonly mode: 'off' }

export type PlatformsConfig = {
  readonly tiktok: TikTokConfig | Off
  readonly instagram: InstagramConfig | Off
  readonly youtube: YouTubeConfig | Off
}

/** To add a platform, add a folder beside this file and a line to the type and here; `null` means off. @param now epoch milliseconds */
export const createPlatforms = (
  { tiktok, instagram, youtube }: PlatformsConfig,
  now: () => number,
): Record<PlatformId, Platform | null> => ({
  tiktok: tiktok.mode === 'off' ? null : createTikTok(tiktok, now),
  instagram: instagram.mode === 'off' ? null : createInstagram(instagram, now),
  youtube: youtube.mode === 'off' ? null : createYouTube(youtube, now),
})

/** Findings that an operator should know of a platform that is set up here. */
export function checkSetup(
  { tiktok, instagram, youtube }: PlatformsConfig,
  id: PlatformId,
  facts: SetupFacts,
): SetupFinding[] {
  switch (id) {
    case 'tiktok':
      return tiktok.mode === 'off' ? [] : checkTikTokSetup(tiktok, facts)
    case 'instagram':
      return instagram.mode === 'off' ? [] : checkInstagramSetup(instagram, facts)
    case 'youtube':
      return youtube.mode === 'off' ? [] : checkYouTubeSetup(youtube, facts)
  }
}

/** Facts that hold whether or not a platform is set up here: its permissions, webhooks and known failures. */
export const PLATFORM_FACTS: Record<
  PlatformId,
  {
    readonly scopes: readonly string[]
    readonly optionalScopes: { readonly [name in OptionalPermission]?: readonly string[] }
    readonly hooks: readonly HookFacts[]
    readonly failures: readonly FailureCase[]
    /** As what it fetches videos from us; null: it is sent them. */
    readonly fetcher: string | null
    readonly settings: readonly AppSetting[]
    readonly keyAnswers: KeyAnswers
  }
> = {
  tiktok: {
    scopes: TIKTOK_SCOPES,
    optionalScopes: { inbox_draft: TIKTOK_INBOX_SCOPES, results: TIKTOK_RESULTS_SCOPES },
    hooks: TIKTOK_HOOKS,
    failures: TIKTOK_FAILURES,
    fetcher: null,
    settings: TIKTOK_SETTINGS,
    keyAnswers: TIKTOK_KEY_ANSWERS,
  },
  instagram: {
    scopes: INSTAGRAM_SCOPES,
    optionalScopes: { comments: INSTAGRAM_COMMENT_SCOPES, results: INSTAGRAM_RESULTS_SCOPES },
    hooks: INSTAGRAM_HOOKS,
    failures: INSTAGRAM_FAILURES,
    fetcher: FETCHER_USER_AGENT,
    settings: INSTAGRAM_SETTINGS,
    keyAnswers: INSTAGRAM_KEY_ANSWERS,
  },
  youtube: {
    scopes: YOUTUBE_SCOPES,
    optionalScopes: { comments: YOUTUBE_COMMENT_SCOPES, results: YOUTUBE_RESULTS_SCOPES },
    hooks: [],
    failures: YOUTUBE_FAILURES,
    fetcher: null,
    settings: YOUTUBE_SETTINGS,
    keyAnswers: YOUTUBE_KEY_ANSWERS,
  },
}
