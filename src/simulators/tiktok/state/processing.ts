import { inspectVideo, type MediaFacts } from '../../kit/inspection/inspect-video.ts'
import {
  newPostId,
  uploadExpired,
  type Creator,
  type PostInfo,
  type TikTok,
  type UploadTask,
} from './state.ts'

export function inspectUpload(tiktok: TikTok, task: UploadTask): void {
  if (task.progress.state !== 'processing' || task.stuck) return
  const file = tiktok.media.video(task.progress.sha256)
  tiktok.background.run(() => storeInspection(tiktok, task, inspectVideo(file)))
}

async function storeInspection(
  tiktok: TikTok,
  task: UploadTask,
  inspection: Promise<MediaFacts | null>,
): Promise<void> {
  const facts = await inspection
  const creator = tiktok.creators.get(task.username)
  const now = tiktok.tasks.get(task.publish_id)
  if (creator === undefined || now?.progress.state !== 'processing') return
  const { progress } = now
  const [scripted, ...left] = creator.fail_reasons ?? []
  tiktok.store.transaction(() => {
    if (scripted !== undefined) tiktok.creators.put(creator.username, { ...creator, fail_reasons: left })
    const fail_reason = scripted ?? findFailReason(facts, creator, now.to)
    tiktok.tasks.put(now.publish_id, { ...now, progress: { ...progress, fail_reason } })
  })
}

export async function resumeInspections(
  tiktok: TikTok,
  resumePull: (task: UploadTask) => void,
): Promise<void> {
  for (const task of tiktok.tasks.all()) {
    if (task.progress.state === 'downloading') resumePull(task)
    if (task.progress.state === 'uploading' && uploadExpired(tiktok, task)) {
      await tiktok.media.discard(task.upload_id)
    }
    if (task.progress.state !== 'processing' || task.progress.fail_reason !== undefined) continue
    await tiktok.media.finish(task.upload_id, task.progress.sha256)
    inspectUpload(tiktok, task)
  }
}

/** TikTok checks after the upload: an accepted init says nothing about the video. */
function findFailReason(facts: MediaFacts | null, creator: Creator, to: UploadTask['to']): string | null {
  if (creator.banned) return 'spam_risk_user_banned_from_posting'
  if (facts === null || facts.container === 'other' || facts.codec === null) return 'file_format_check_failed'
  if (!['avc', 'hevc', 'vp8', 'vp9'].includes(facts.codec)) return 'file_format_check_failed'
  // "Media Transfer Guide": a draft lasts 10 minutes at most, whatever the creator may post.
  const longest = to === 'inbox' ? 600 : creator.max_video_post_duration_sec
  if (facts.duration > longest) return 'duration_check_failed'
  // 23.976 counts as 23; rounding in a file's index must not make 60 fps fail.
  if (facts.framesPerSecond < 22.9 || facts.framesPerSecond > 60.5) return 'frame_rate_check_failed'
  const sides = [facts.width, facts.height]
  if (sides.some((side) => side < 360 || side > 4096)) return 'picture_size_check_failed'
  return null
}

/** Advances every task that is due. There is no timer: every reader calls this first. */
export function settle(tiktok: TikTok): void {
  for (const task of tiktok.tasks.all()) settleTask(tiktok, task)
}

/** "512 MB under 30 s, 1 GB about a minute, 4 GB more than two": larger videos take longer. */
function processingMs(tiktok: TikTok, task: UploadTask): number {
  const { tiktok_processing_ms, tiktok_processing_ms_per_gb } = tiktok.settings.get()
  return tiktok_processing_ms + (task.video_size / 1_000_000_000) * tiktok_processing_ms_per_gb
}

function settleTask(tiktok: TikTok, task: UploadTask): void {
  const { progress } = task
  if (progress.state === 'inbox') return settleDraft(tiktok, task, progress)
  if (progress.state !== 'processing' || progress.fail_reason === undefined || task.stuck) return
  const doneAt = progress.uploaded_at + processingMs(tiktok, task)
  if (doneAt > tiktok.clock.now()) return
  const failReason = progress.fail_reason
  if (failReason !== null) {
    tiktok.tasks.put(task.publish_id, { ...task, progress: { state: 'failed', fail_reason: failReason } })
    return
  }
  const { sha256 } = progress
  if (task.to !== 'inbox') return goLive(tiktok, task, sha256, doneAt)
  tiktok.tasks.put(task.publish_id, { ...task, progress: { state: 'inbox', sha256, delivered_at: doneAt } })
}

function settleDraft(
  tiktok: TikTok,
  task: UploadTask,
  { sha256, delivered_at }: { sha256: string; delivered_at: number },
): void {
  const afterMs = tiktok.settings.get().tiktok_draft_posted_ms
  if (afterMs >= 0 && delivered_at + afterMs <= tiktok.clock.now())
    goLive(tiktok, task, sha256, delivered_at + afterMs)
}

function goLive(tiktok: TikTok, task: UploadTask, sha256: string, liveAt: number): void {
  const id = newPostId()
  tiktok.store.transaction(() => {
    tiktok.posts.put(id, {
      id,
      username: task.username,
      post_info: task.post_info,
      sha256,
      bytes: task.video_size,
      created_at: liveAt,
    })
    tiktok.tasks.put(task.publish_id, {
      ...task,
      progress: { state: 'complete', sha256, post_id: id, live_at: liveAt },
    })
  })
}

/** "only for public posts after moderation" */
export const isPostIdPublic = (tiktok: TikTok, creator: Creator, post: PostInfo, liveAt: number): boolean =>
  post.privacy_level === 'PUBLIC_TO_EVERYONE' &&
  !creator.id_never_told &&
  tiktok.settings.get().tiktok_moderation_ms >= 0 &&
  liveAt + tiktok.settings.get().tiktok_moderation_ms <= tiktok.clock.now()
