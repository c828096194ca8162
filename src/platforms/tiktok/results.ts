import { z } from 'zod'
import type { Failure } from '#domain/delivery/failure.ts'
import { toFailure } from '../kit/failure-rule.ts'
import { Count, toNumbers } from '../kit/numbers.ts'
import type { Results, ResultsJob, ResultsOutcome } from '../kit/platform.ts'
import type { TikTokConfig } from './api/config.ts'
import { RESULTS_RULES } from './api/failures.ts'
import { post } from './api/wire.ts'
import { RESULTS_SCOPES } from './oauth.ts'

/** "Query Videos": 20 ids a call, of the account's own posts. */
const IDS_PER_CALL = 20

const FIELDS = 'id,view_count,like_count,comment_count,share_count'

/** TikTok, video object (2026-08-24). Saves, reach and watch time are not in it. */
const Videos = z.object({
  videos: z
    .array(
      z.object({
        id: z.string(),
        view_count: Count,
        like_count: Count,
        comment_count: Count,
        share_count: Count,
      }),
    )
    .default([]),
})

export const results = (config: TikTokConfig): Results => ({
  scopes: RESULTS_SCOPES,
  idsPerCall: IDS_PER_CALL,
  read: (job) => read(config, job),
})

/** Posts that are deleted, private or removed are simply absent (seen, 2026-08-20). */
async function read(config: TikTokConfig, job: ResultsJob): Promise<ResultsOutcome> {
  if (job.postIds.length === 0) return { kind: 'read', posts: new Map() }
  const answer = await post(
    config,
    `/v2/video/query/?fields=${FIELDS}`,
    job.account.accessToken,
    { filters: { video_ids: job.postIds } },
    Videos,
    job.signal,
  )
  if (!answer.ok) return refusal(answer.failure)
  const shown = answer.value.videos.filter(({ id }) => job.postIds.includes(id))
  return {
    kind: 'read',
    posts: new Map(
      shown.map(({ id, ...counts }) => [
        id,
        toNumbers({
          views: counts.view_count,
          likes: counts.like_count,
          comments: counts.comment_count,
          shares: counts.share_count,
        }),
      ]),
    ),
  }
}

const NOT_ALLOWED = ['scope_not_authorized', 'scope_permission_missed']

function refusal(failure: Failure): ResultsOutcome {
  const { code, detail } = failure.reason
  const rule = RESULTS_RULES[code]
  return {
    kind: NOT_ALLOWED.includes(code) ? 'not_allowed' : 'unreadable',
    failure: rule === undefined ? failure : toFailure(code, rule, detail),
  }
}
