import { YOUTUBE_VERIFIED_MAX_S, YOUTUBE_UNVERIFIED_MAX_S } from '#contract/platforms/youtube.ts'
import type { YouTubeAccountOptions } from '#contract/platforms/youtube.ts'
import { ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { type Platform, PRACTICE_CHECKS_S } from '../kit/platform.ts'
import { avatarOf, handleOf, mayUploadLong, readChannel } from './api/channel.ts'
import type { Deps, YouTubeConfig } from './api/config.ts'
import * as oauth from './oauth.ts'
import { comment, findComment } from './publish/comment.ts'
import { inspect, setCover } from './publish/cover.ts'
import { open } from './publish/open.ts'
import { check, commit, locate } from './publish/publish.ts'
import { send } from './publish/upload.ts'
import { results } from './results.ts'

/** No page tells how long a session lives; Google's other uploads of this kind keep one for a week. */
const UPLOAD_LIFE_S = 7 * 86_400

export function createYouTube(config: YouTubeConfig, now: () => number): Platform {
  const deps = { config, now }
  return {
    id: 'youtube',
    capabilities: {
      delivery: 'push',
      upload: { lifeS: UPLOAD_LIFE_S, expired: ['upload_expired'] },
      scopes: {
        asked: oauth.SCOPES,
        // Without either the channel is unknown, or nothing can be posted; each has a box of its own.
        toLink: oauth.SCOPES.filter((scope) => scope !== 'openid'),
        toPublish: [],
        boxes: oauth.BOXES,
      },
      rates: {},
      firstChecksS: config.mode === 'practice' ? PRACTICE_CHECKS_S : [5, 10, 20, 40, 60],
      // No page tells it; channels report 10 to 15 a day.
      usualPostsPerDay: 10,
    },
    hooks: {},
    authorizeUrl: (request) => oauth.authorizeUrl(config, request),
    exchangeCode: (request) => oauth.exchangeCode(deps, request),
    refresh: (tokens) => oauth.refresh(deps, tokens),
    refreshDueAt: oauth.refreshDueAt,
    idleRefreshAt: oauth.idleRefreshAt,
    revoke: (tokens) => oauth.revoke(deps, tokens),
    profile: (grant) => oauth.profile(deps, grant.accessToken),
    options: (account) => options(deps, account.accessToken),
    allowance: null,
    firstComment: {
      scopes: oauth.COMMENT_SCOPES,
      comment: (job) => comment(deps, job),
      findComment: (job, sinceMs) => findComment(deps, job, sinceMs),
    },
    setCover: (job) => setCover(deps, job),
    inspect: (job) => inspect(deps, job),
    results: results(deps),
    open: (job) => open(deps, job),
    send: (job, session, report) => send(deps, job, session, report),
    commit: (job, session) => commit(deps, job, session),
    check: (job, session) => check(deps, job, session),
    locate: (job, session, postId) => locate(deps, job, session, postId),
  }
}

async function options(deps: Deps, accessToken: string): Promise<Result<YouTubeAccountOptions>> {
  const channel = await readChannel(deps, accessToken)
  if (!channel.ok) return channel
  const isLong = mayUploadLong(channel.value)
  return ok({
    platform: 'youtube',
    title: channel.value.snippet.title,
    username: handleOf(channel.value),
    avatar_url: avatarOf(channel.value),
    long_uploads: isLong,
    max_duration_s: isLong ? YOUTUBE_VERIFIED_MAX_S : YOUTUBE_UNVERIFIED_MAX_S,
  })
}
