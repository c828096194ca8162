import { randomUUID } from 'node:crypto'
import { bodyText } from '../kit/http/body.ts'
import { hugeNumber } from '../kit/ids.ts'
import { asObject, parseJson } from '../kit/json.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { authenticate, invalidParams, isJson, notJson, ok, refusal } from './envelope.ts'
import { readPostInfo, readSource, type FileSource, type UrlSource } from './init-rules.ts'
import type { RateLimits } from './limits.ts'
import { guidelines, creatorErrorCode } from './publish.ts'
import { pull } from './pull.ts'
import {
  appSettings,
  privacyOptions,
  formatPublishId,
  type Creator,
  type PostInfo,
  type TikTok,
  type UploadTask,
} from './state/state.ts'

/**
 * `POST /v2/post/publish/video/init/`: every accepted call makes a new task, without deduplication. The order of the checks
 * is our assumption.
 */
export function init(tiktok: TikTok, limits: RateLimits, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, ['video.publish'])
  if ('status' in caller) return caller
  if (!isJson(call.request)) return notJson()
  const { creator } = caller
  const limited = limits.take('init', creator.username)
  if (limited !== null) return limited

  const body = asObject(parseJson(bodyText(call.request)))
  const postInfo = readPostInfo(body?.post_info)
  if ('refused' in postInfo) return invalidParams(postInfo.refused)
  const source = readSource(body?.source_info)
  if ('refused' in source) return invalidParams(source.refused)
  const errorCode = postErrorCode(tiktok, creator, postInfo) ?? sourceErrorCode(tiktok, source)
  if (errorCode !== null) return refusal(403, errorCode, guidelines)

  return startUpload(tiktok, call, creator, source, 'post', {
    ...postInfo,
    disable_comment: postInfo.disable_comment || creator.comment_disabled,
    disable_duet: postInfo.disable_duet || creator.duet_disabled || creator.private,
    disable_stitch: postInfo.disable_stitch || creator.stitch_disabled || creator.private,
  })
}

/** "5 pending shares within any 24-hour period" */
const maxPendingDrafts = 5

/**
 * `POST /v2/post/publish/inbox/video/init/`: a draft for the creator to finish. `post_info`, which production clients send,
 * is ignored; the ledger flags it, so that its sender notices the missing caption.
 */
export function inboxInit(tiktok: TikTok, limits: RateLimits, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, ['video.upload'])
  if ('status' in caller) return caller
  if (!isJson(call.request)) return notJson()
  const { creator } = caller
  const limited = limits.take('inbox_init', creator.username)
  if (limited !== null) return limited

  const body = asObject(parseJson(bodyText(call.request)))
  if (body?.post_info !== undefined) call.flag = 'post_info_ignored'
  const source = readSource(body?.source_info)
  if ('refused' in source) return invalidParams(source.refused)
  const errorCode = creator.banned
    ? 'spam_risk_user_banned_from_posting'
    : pendingDrafts(tiktok, creator) >= maxPendingDrafts
      ? 'spam_risk_too_many_pending_share'
      : sourceErrorCode(tiktok, source)
  if (errorCode !== null) return refusal(403, errorCode, guidelines)
  return startUpload(tiktok, call, creator, source, 'inbox', {
    title: '',
    privacy_level: privacyOptions(creator)[0] ?? 'SELF_ONLY',
    disable_duet: false,
    disable_comment: false,
    disable_stitch: false,
    video_cover_timestamp_ms: 0,
    brand_content_toggle: false,
    brand_organic_toggle: false,
    is_aigc: false,
  })
}

/** Drafts of the last 24 hours that their creator has not posted. We assume that a draft counts from its init on. */
const pendingDrafts = (tiktok: TikTok, creator: Creator): number =>
  tiktok.tasks
    .all()
    .filter(
      ({ to, username, created_at, progress }) =>
        to === 'inbox' &&
        username === creator.username &&
        created_at > tiktok.clock.now() - 86_400_000 &&
        progress.state !== 'complete' &&
        progress.state !== 'failed',
    ).length

function postErrorCode(tiktok: TikTok, creator: Creator, post: PostInfo): string | null {
  const errorCode = creatorErrorCode(tiktok, creator)
  if (errorCode !== null) return errorCode
  // An unaudited app posts only SELF_ONLY, and only if the account itself is private.
  if (!appSettings(tiktok).audited && (!creator.private || post.privacy_level !== 'SELF_ONLY')) {
    return 'unaudited_client_can_only_post_to_private_accounts'
  }
  return privacyOptions(creator).includes(post.privacy_level) ? null : 'privacy_level_option_mismatch'
}

/** TikTok pulls only from addresses under a prefix verified in its portal. */
const sourceErrorCode = (tiktok: TikTok, source: FileSource | UrlSource): string | null =>
  source.from === 'file' ||
  appSettings(tiktok).verified_prefixes.some((prefix) => source.video_url.startsWith(prefix))
    ? null
    : 'url_ownership_unverified'

function startUpload(
  tiktok: TikTok,
  call: Call,
  creator: Creator,
  source: FileSource | UrlSource,
  to: UploadTask['to'],
  postInfo: PostInfo,
): Answer {
  const uploadId = hugeNumber('76', 19)
  const publishId = formatPublishId(to, source.from, uploadId)
  const task: UploadTask = {
    publish_id: publishId,
    upload_id: uploadId,
    upload_token: randomUUID(),
    username: creator.username,
    to,
    video_url: source.from === 'url' ? source.video_url : null,
    post_info: postInfo,
    ...(source.from === 'url' ? { video_size: 0, chunk_size: 0, total_chunk_count: 0 } : toChunkPlan(source)),
    received: 0,
    created_at: tiktok.clock.now(),
    stuck: call.fault?.fault === 'stuck_processing',
    progress: { state: source.from === 'url' ? 'downloading' : 'uploading' },
  }
  tiktok.tasks.put(publishId, task)
  if (source.from === 'url') {
    pull(tiktok, task)
    return ok({ publish_id: publishId })
  }
  return ok({
    publish_id: publishId,
    upload_url: `${call.origin}/tiktok/upload?upload_id=${uploadId}&upload_token=${task.upload_token}`,
  })
}

const toChunkPlan = ({
  video_size,
  chunk_size,
  total_chunk_count,
}: FileSource): Omit<FileSource, 'from'> => ({
  video_size,
  chunk_size,
  total_chunk_count,
})
