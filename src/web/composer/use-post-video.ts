import { useEffect } from 'react'
import { useLocation } from 'react-router'
import type { Video } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { useVideoFix, type PlanFile } from '#web/videos/use-video-fix.ts'
import { useChosenVideo } from '#web/videos/use-chosen-video.ts'

/** How files are checked before they are uploaded, and the fix that is wanted of the video that is there. */
export type Fixing = {
  readonly planFile: PlanFile
  readonly wanted: FixPlan | null
  readonly onTaken: () => void
}

export type PostVideo = {
  video: Video | null
  onVideo: (video: Video | null) => void
  coverMs: number
  onCover: (ms: number) => void
  /** `uploading`: it is on its way. `asking`: whether it is to be fixed first. */
  onUpload: (state: { uploading: boolean; asking: boolean }) => void
  fixing: Fixing
  /** What the file and its upload belong to, such as the draft's id; each has one. */
  name: string
}

/** The video of a post: chosen, fixed where that is wanted, uploaded, and then handed to the post. */
export function usePostVideo({ name, video, onVideo, coverMs, onCover, onUpload, fixing }: PostVideo) {
  const { pathname, search } = useLocation()
  const fix = useVideoFix(name)
  const prepare = (file: File) => fix.prepare(file, fixing.planFile)
  const chosen = useChosenVideo({ name, page: pathname + search, video, coverMs, prepare })
  const { file, state, uploaded, clear } = chosen
  const uploading = state.kind === 'uploading'
  const asking = fix.state.kind === 'asked'
  const isOnItsWay = uploading || fix.state.kind === 'fixing' || (chosen.isPending && !asking)
  useEffect(() => onUpload({ uploading: isOnItsWay, asking }), [onUpload, isOnItsWay, asking])
  const replaceBy = (other: Video | null) => {
    if (coverMs !== 0 && !chosen.keepsCover) onCover(0)
    if (other !== video) onVideo(other)
  }
  useEffect(() => {
    // Not before: the file may turn out to be no video.
    if (uploading && file !== null && video !== null) replaceBy(null)
    if (uploaded === null) return
    // The upload may have ended while another screen was shown.
    if (video?.video_id === uploaded.video_id) clear()
    else if (video === null) onVideo(uploaded)
    else replaceBy(uploaded)
  })
  useEffect(() => {
    const { wanted, onTaken } = fixing
    if (wanted === null || video === null) return
    onTaken()
    const source = file ?? { videoId: video.video_id }
    void fix
      .fix({ filename: video.filename, source, facts: video.facts, plan: wanted })
      .then((made) => made && chosen.replaceByFixed(made))
  })
  return {
    fix,
    chosen,
    /** What the post has, or will have at once. */
    shown: video ?? uploaded,
    choose: (other: File) => {
      chosen.choose(other)
      fix.abandon()
    },
    pick: (other: Video | null) => {
      chosen.forget()
      fix.abandon()
      replaceBy(other)
    },
  }
}
