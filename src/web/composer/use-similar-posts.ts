import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PostId } from '#contract/ids.ts'
import type { SimilarPost } from '#contract/posts.ts'
import type { Video } from '#contract/videos.ts'
import { similarPostsQuery } from '#web/api/queries.ts'
import type { useJudged } from './use-judged.ts'
import { localOf, type Moment } from './when.ts'

/** Asked once typing pauses; without an answer nothing is said. `moment`: null for now; `own`: the post that is changed. */
export function useSimilarPosts(
  video: Video | null,
  selected: ReturnType<typeof useJudged>['selected'],
  { moment, own }: { moment: Moment | null; own: PostId | null },
): readonly SimilarPost[] {
  const targets = selected.map(({ live, outgoing }) => ({
    account_id: live.account.account_id,
    text: outgoing.text,
    after_minutes: outgoing.afterMinutes,
  }))
  const written =
    video !== null && targets.length > 0
      ? { video_id: video.video_id, targets, ...(moment && { publish_at: zonedTimeOf(moment) }) }
      : null
  const [key] = useDebouncedValue(JSON.stringify(written), PAUSE_MS)
  const isCurrent = key === JSON.stringify(written)
  const { data } = useQuery({
    ...similarPostsQuery(written),
    enabled: isCurrent && written !== null,
    placeholderData: keepPreviousData,
  })
  if (written === null || !data) return NONE
  return data.items.filter(({ post_id }) => post_id !== own)
}

const zonedTimeOf = ({ at, timezone }: Moment) => ({ local: localOf(at, timezone), timezone })

const PAUSE_MS = 600
const NONE: readonly SimilarPost[] = []
