import type { Video, VideoFacts } from '#contract/videos.ts'
import { planFix, planNeededFix, type FixPlan, type FixTarget } from '#domain/video-check/fix-plan.ts'
import { checkVideo, isRefused } from '#domain/video-check/post-check.ts'
import { limitsOf, type Judged, type LiveAccount } from './readiness.ts'

type Accounts = { readonly selected: readonly Judged[]; readonly listed: readonly Judged[] }

/** The fixes that the selected accounts need: of the post's video, and of a file before it is uploaded. */
export const fixPlansOf = ({ selected, listed }: Accounts, video: Video | null) => ({
  ofVideo: video && planFix(video.facts, video.size, targetsOf(selected)),
  ofFile: (facts: VideoFacts, size: number) =>
    planFixBeforeUpload({ facts, size }, targetsOf(selected), targetsOf(listed)),
})

const targetsOf = (judged: readonly Judged[]): FixTarget[] => judged.map(({ live }) => targetOf(live))
const targetOf = (live: LiveAccount): FixTarget => ({
  platform: live.account.platform,
  account: limitsOf(live),
})

/** While no account is selected, a file is fixed only if no linked account would take it. */
export function planFixBeforeUpload(
  { facts, size }: { facts: VideoFacts; size: number },
  selected: readonly FixTarget[],
  linked: readonly FixTarget[],
): FixPlan | null {
  if (selected.length > 0) return planNeededFix(facts, size, selected)
  const isTaken = ({ platform, account }: FixTarget) => !isRefused(checkVideo(facts, size, platform, account))
  return linked.some(isTaken) ? null : planNeededFix(facts, size, linked)
}
