import { TIKTOK_PRIVACY_LEVELS } from '#contract/platforms/tiktok.ts'
import type { TikTokAccountOptions } from '#contract/platforms/tiktok.ts'
import { ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { type Platform, PRACTICE_CHECKS_S } from '../kit/platform.ts'
import type { TikTokConfig } from './api/config.ts'
import { creatorInfo } from './api/creator-info.ts'
import { HOOKS, events } from './webhooks.ts'
import * as oauth from './oauth.ts'
import { open } from './publish/open.ts'
import { check, commit, locate } from './publish/publish.ts'
import { results } from './results.ts'
import { UPLOAD_LIFE_MS } from './publish/session.ts'
import { send } from './publish/upload.ts'

export function createTikTok(config: TikTokConfig, now: () => number): Platform {
  const deps = { config, now }
  return {
    id: 'tiktok',
    capabilities: {
      delivery: 'push',
      upload: { lifeS: UPLOAD_LIFE_MS / 1000, expired: ['upload_expired', 'http_403'] },
      scopes: {
        asked: oauth.SCOPES,
        toLink: ['user.info.basic'],
        // "Direct Post" and "Query Creator Info" need this one.
        toPublish: ['video.publish'],
      },
      ...(config.mode === 'practice' && { firstChecksS: PRACTICE_CHECKS_S }),
      rates: config.unlimited === true ? {} : RATES,
      // "varies, typically around 15", counting every app; TikTok tells nobody how many are left.
      usualPostsPerDay: 15,
    },
    hooks: { [HOOKS[0].name]: events(config) },
    authorizeUrl: (request) => oauth.authorizeUrl(config, request),
    exchangeCode: (request) => oauth.exchangeCode(config, now, request),
    refresh: (tokens) => oauth.refresh(config, now, tokens),
    refreshDueAt: oauth.refreshDueAt,
    idleRefreshAt: oauth.idleRefreshAt,
    revoke: (tokens) => oauth.revoke(config, now, tokens),
    profile: (grant) => oauth.profile(config, grant),
    options: (account) => options(config, account.accessToken),
    allowance: null,
    results: results(config),
    open: (job) => open(deps, job),
    send: (job, session, report) => send(deps, job, session, report),
    commit: (job, session) => commit(deps, job, session),
    check: (job, session) => check(deps, job, session),
    locate: (job, session, postId) => locate(deps, job, session, postId),
  }
}

/**
 * Rate limits (2026-08-04), in sliding minutes per user: init 6, creator_info 20, status 30. `open` asks for creator_info too; `check` and
 * `locate` share the status limit with interrupted uploads and refused last chunks. `video/query` has 600, by user or by app: no page says.
 */
const RATES = {
  open: { most: 5, perS: 60, words: 'TikTok accepts 6 posts a minute for one account.' },
  options: {
    most: 12,
    perS: 60,
    words: "TikTok lets Reelay ask for an account's options 20 times a minute.",
  },
  check: {
    most: 18,
    perS: 60,
    words: "TikTok lets Reelay ask about an account's posts 30 times a minute.",
  },
  locate: {
    most: 6,
    perS: 60,
    words: "TikTok lets Reelay ask about an account's posts 30 times a minute.",
  },
  // Twenty accounts at once stay within 600.
  results: {
    most: 30,
    perS: 60,
    words: 'TikTok lets Reelay ask for the numbers of posts 600 times a minute.',
  },
} as const

/** The settings describe the account, not the app: an unaudited app is offered Public too, and then refused. */
async function options(config: TikTokConfig, accessToken: string): Promise<Result<TikTokAccountOptions>> {
  const creator = await creatorInfo(config, accessToken)
  if (!creator.ok) return creator
  const { value } = creator
  const offered = TIKTOK_PRIVACY_LEVELS.filter((level) => value.privacy_level_options.includes(level))
  return ok({
    platform: 'tiktok',
    username: value.creator_username,
    nickname: value.creator_nickname,
    avatar_url: value.creator_avatar_url ?? null,
    privacy_levels: config.appAudited ? offered : offered.filter((level) => level === 'SELF_ONLY'),
    comment_disabled: value.comment_disabled,
    duet_disabled: value.duet_disabled,
    stitch_disabled: value.stitch_disabled,
    max_duration_s: value.max_video_post_duration_sec,
    notice: config.appAudited ? null : UNAUDITED,
  })
}

const UNAUDITED =
  "TikTok has not audited this server's app yet. Until it has, TikTok accepts only private posts, and only from accounts that are set to private."
