import { toFailure } from '../kit/failure-rule.ts'
import { toNumbers } from '../kit/numbers.ts'
import type { Results, ResultsJob, ResultsOutcome } from '../kit/platform.ts'
import type { Deps } from './api/config.ts'
import { RESULTS_RULES } from './api/failures.ts'
import { api, type Video, Videos } from './api/wire.ts'

/** `videos.list`: at most 50 ids. */
const IDS_PER_CALL = 50

/** `youtube.readonly` is granted with every link. Shares and watch time are told by another API only. */
export const results = (deps: Deps): Results => ({
  scopes: [],
  idsPerCall: IDS_PER_CALL,
  read: (job) => read(deps, job),
})

/** `videos.list`, 1 unit (discovery document of 2026-09-24). A count is absent if it is hidden or switched off. */
async function read(deps: Deps, job: ResultsJob): Promise<ResultsOutcome> {
  if (job.postIds.length === 0) return { kind: 'read', posts: new Map() }
  const answer = await api(
    deps,
    {
      method: 'GET',
      path: '/youtube/v3/videos',
      query: { part: 'statistics,status', id: job.postIds.join(',') },
      bearer: job.account.accessToken,
      signal: job.signal,
    },
    Videos,
  )
  if (!answer.ok) {
    const { code, detail } = answer.failure.reason
    const rule = RESULTS_RULES[code]
    return rule === undefined
      ? { kind: 'unreadable', failure: answer.failure }
      : { kind: 'not_allowed', failure: toFailure(code, rule, detail) }
  }
  const shown = answer.value.items.filter((video) => job.postIds.includes(video.id) && isThere(video))
  return {
    kind: 'read',
    posts: new Map(
      shown.map(({ id, statistics }) => [
        id,
        toNumbers({
          views: statistics?.viewCount,
          likes: statistics?.likeCount,
          comments: statistics?.commentCount,
        }),
      ]),
    ),
  }
}

/** The channel's own private videos are there. What YouTube took down may still be listed for its owner. */
const isThere = ({ status }: Video): boolean =>
  !['rejected', 'deleted', 'failed'].includes(status?.uploadStatus ?? '')
