import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'
import { fail, ok } from '#domain/failure.ts'
import type { Result } from '#domain/failure.ts'
import type { AccountAccess, Platform } from '../platform.ts'
import type { InstagramConfig } from './config.ts'
import { HOOKS, deauthorize, deleteData } from './hooks.ts'
import * as oauth from './oauth.ts'
import * as publish from './publish.ts'
import { PublishingLimit, graph } from './wire.ts'

/** Instagram API with Instagram Login. `now`: epoch milliseconds. */
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
    },
    hooks: { [HOOKS[0].name]: deauthorize(config), [HOOKS[1].name]: deleteData(config) },
    authorizeUrl: (request) => oauth.authorizeUrl(config, request),
    exchangeCode: (request) => oauth.exchangeCode(config, now, request),
    refresh: (tokens) => oauth.refresh(config, now, tokens),
    refreshDueAt: oauth.refreshDueAt,
    idleRefreshAt: oauth.idleRefreshAt,
    // No call for it is documented: the owner removes the app under Settings, Apps and websites.
    revoke: () => Promise.resolve(ok(undefined)),
    profile: (grant) => oauth.profile(config, grant.accessToken),
    options: (account) => options(config, account),
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
  // IG User Content Publishing Limit: the total differs by account and page of the documentation, so it is asked for.
  const limit = await graph(
    config,
    {
      method: 'GET',
      path: `/${me.value.user_id}/content_publishing_limit`,
      query: { fields: 'config,quota_usage' },
      bearer: account.accessToken,
    },
    PublishingLimit,
  )
  const quota = limit.ok ? limit.value.data[0] : undefined
  return ok({
    platform: 'instagram',
    username: me.value.username,
    avatar_url: me.value.profile_picture_url ?? null,
    quota_used: quota?.quota_usage ?? null,
    quota_total: quota?.config?.quota_total ?? null,
  })
}
