import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { type AccountAccess, type Allowance, type Platform, PRACTICE_CHECKS_S } from '../kit/platform.ts'
import type { InstagramConfig } from './api/config.ts'
import { HOOKS, deauthorize, deleteData } from './webhooks.ts'
import * as oauth from './oauth.ts'
import { comment, findComment, turnOffComments } from './publish/comment.ts'
import * as publish from './publish/publish.ts'
import { results } from './results.ts'
import { PublishingLimit, graph } from './api/wire.ts'

export function createInstagram(config: InstagramConfig, now: () => number): Platform {
  const deps = { config, now }
  return {
    id: 'instagram',
    capabilities: {
      // Content Publishing guide: with Instagram Login there is no upload of bytes; Meta fetches `video_url`.
      delivery: 'pull',
      scopes: {
        asked: oauth.SCOPES,
        toLink: ['instagram_business_basic'],
        toPublish: ['instagram_business_content_publish'],
      },
      rates: RATES,
      // Content Publishing guide: "once per minute, for no more than 5 minutes"; most posts are decided sooner.
      firstChecksS: config.mode === 'practice' ? PRACTICE_CHECKS_S : [5, 15, 30, 60, 120],
      usualPostsPerDay: null,
    },
    hooks: { [HOOKS[0].name]: deauthorize(config), [HOOKS[1].name]: deleteData(config) },
    authorizeUrl: (request) => oauth.authorizeUrl(config, request),
    exchangeCode: (request) => oauth.exchangeCode(config, now, request),
    refresh: (tokens) => oauth.refresh(config, now, tokens),
    refreshDueAt: oauth.refreshDueAt,
    idleRefreshAt: oauth.idleRefreshAt,
    // No call is documented: the owner removes the app under Settings, Apps and websites.
    revoke: () => Promise.resolve(ok(undefined)),
    profile: (grant) => oauth.profile(config, grant.accessToken),
    options: (account) => options(config, account),
    allowance: (account) => allowance(config, account),
    firstComment: {
      scopes: oauth.COMMENT_SCOPES,
      comment: (job) => comment(config, job),
      findComment: (job, sinceMs) => findComment(config, job, sinceMs),
    },
    turnOffComments: (job) => turnOffComments(config, job),
    results: results(deps),
    open: (job) => publish.open(deps, job),
    send: (job, session) => publish.send(deps, job, session),
    commit: (job, session) => publish.commit(deps, job, session),
    check: (job, session) => publish.check(deps, job, session),
    locate: (job, session, postId) => publish.locate(deps, job, session, postId),
  }
}

async function options(
  config: InstagramConfig,
  account: AccountAccess,
): Promise<Result<InstagramAccountOptions>> {
  const me = await oauth.readMe(config, account.accessToken)
  if (!me.ok) return fail(me.failure)
  const quota = await allowance(config, { ...account, externalId: me.value.user_id })
  return ok({
    platform: 'instagram',
    username: me.value.username,
    avatar_url: me.value.profile_picture_url ?? null,
    quota_used: quota.ok ? quota.value.used : null,
    quota_total: quota.ok ? quota.value.total : null,
  })
}

/** IG User Content Publishing Limit: the total differs by account and by page of the documentation, so ask for it. */
async function allowance(config: InstagramConfig, account: AccountAccess): Promise<Result<Allowance>> {
  const limit = await graph(
    config,
    {
      method: 'GET',
      path: `/${account.externalId ?? 'me'}/content_publishing_limit`,
      query: { fields: 'config,quota_usage' },
      bearer: account.accessToken,
      onUsage: account.onUsage,
    },
    PublishingLimit,
  )
  if (!limit.ok) return fail(limit.failure)
  const quota = limit.value.data[0]
  return quota?.quota_usage === undefined
    ? ok({ used: 0, total: null })
    : ok({ used: quota.quota_usage, total: quota.config?.quota_total ?? null })
}

/** IG User Media: an account may create 400 containers in any 24 hours. */
const RATES = {
  open: { most: 380, perS: 86_400, words: 'Instagram lets an account start 400 posts within 24 hours.' },
} as const
