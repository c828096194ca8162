import { bodyText } from '../kit/http/body.ts'
import { saveBody, send } from '../kit/send.ts'
import { asObject, parseJson } from '../kit/json.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { authenticate, isJson, notJson, ok, refusal } from './envelope.ts'
import { inspectUpload } from './state/processing.ts'
import type { TikTok, UploadTask } from './state/state.ts'

/** "reachable up to 1 h" */
const patienceMs = 3_600_000

export function pull(tiktok: TikTok, task: UploadTask): void {
  tiktok.background.run(() => pulled(tiktok, task))
}

async function pulled(tiktok: TikTok, task: UploadTask): Promise<void> {
  if (task.stuck || task.video_url === null) return
  const taken = await download(tiktok.media.incoming(task.upload_id), task.video_url)
  const now = tiktok.tasks.get(task.publish_id)
  // Cancelled or cleared meanwhile.
  if (now?.progress.state !== 'downloading') return tiktok.media.discard(task.upload_id)
  tiktok.calls.record({
    platform: 'tiktok',
    call: 'pull',
    account: task.username,
    status: taken === null ? null : taken.status,
  })
  if (taken === null || taken.sha256 === null) {
    tiktok.tasks.put(task.publish_id, {
      ...now,
      progress: { state: 'failed', fail_reason: 'video_pull_failed' },
    })
    return tiktok.media.discard(task.upload_id)
  }
  const { sha256, bytes } = taken
  const progress = { state: 'processing' as const, sha256, uploaded_at: tiktok.clock.now() }
  const whole: UploadTask = { ...now, video_size: bytes, received: bytes, progress }
  tiktok.tasks.put(task.publish_id, whole)
  await tiktok.media.finish(task.upload_id, sha256)
  inspectUpload(tiktok, whole)
}

async function download(
  path: string,
  address: string,
): Promise<{ status: number; sha256: string | null; bytes: number } | null> {
  try {
    const answer = await send(new URL(address), { signal: AbortSignal.timeout(patienceMs) })
    const { status } = answer
    if (status === 200) return { status, ...(await saveBody(answer, path)) }
    answer.body.destroy()
    return { status, sha256: null, bytes: 0 }
  } catch {
    return null
  }
}

/** `POST /v2/post/publish/cancel/`: only an unfinished pull can be cancelled. */
export function cancel(tiktok: TikTok, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, ['video.publish', 'video.upload'])
  if ('status' in caller) return caller
  if (!isJson(call.request)) return notJson()
  const publishId = asObject(parseJson(bodyText(call.request)))?.publish_id
  const task = typeof publishId === 'string' ? tiktok.tasks.get(publishId) : undefined
  if (task === undefined) return refusal(400, 'invalid_publish_id', 'The publish_id is invalid.')
  if (task.username !== caller.creator.username) {
    return refusal(
      400,
      'token_not_authorized_for_specified_publish_id',
      'The access token is not authorized for the specified publish_id.',
    )
  }
  if (task.progress.state !== 'downloading') {
    return refusal(400, 'publish_not_cancellable', 'The post cannot be cancelled any more.')
  }
  tiktok.tasks.put(task.publish_id, {
    ...task,
    progress: { state: 'failed', fail_reason: 'publish_cancelled' },
  })
  return ok({})
}
