import type { Account } from '#contract/accounts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { accountOptionsQuery, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { readItem, removeItem, writeItem } from '#web/lib/storage.ts'
import { UNANSWERED_PREFIX } from '#web/lib/storage-keys.ts'
import { useStoreEntry, useUid } from '#web/session/browser-store.ts'
import { uploadPoster } from '#web/videos/poster.ts'
import { useShownUpload, type OutcomeTexts } from '#web/videos/use-upload.ts'
import { removeUpload } from '#web/videos/uploads.ts'
import type { SingleForm } from './panel.ts'
import { uploadForm, type UploadControls } from './send-form.ts'

type Publication<Info> = {
  readonly account: Account
  readonly file: File
  readonly info: Info
  /** The moment of the poster, in ms; 0: none was chosen. */
  readonly coverMs: number
  /** The server has the post. */
  readonly onMade: () => void
}

const CANCELLED = {
  early: 'Upload cancelled. Nothing was posted.',
  late: 'Upload cancelled. Almost all of it was sent, so it may be posted all the same: check the queue.',
}

/**
 * Sends one video to one account. Whatever is sent until the server has a post has one idempotency key: after a lost answer the
 * same form sent again finds the post, and a changed one is refused.
 */
export function usePublish<Value, Info>({ panel, texts: own, post: createPost }: SingleForm<Value, Info>) {
  const { place, upload } = useShownUpload<Post>(panel.platform)
  const key = useUnansweredKey(panel.platform)
  const texts: OutcomeTexts<Post> = {
    success: (post) => (hasStopped(post) ? STOPPED : own.success),
    failure: (error) => (isKeyUsed(error) ? ARRIVED : own.failure(error)),
  }

  const publish = async ({ account, file, info, coverMs, onMade }: Publication<Info>): Promise<void> => {
    const { account_id: accountId } = account
    const idempotencyKey = key.get() ?? newUuid()
    key.set(idempotencyKey)
    const send = (controls: UploadControls) =>
      createPost({ file, info, accountId, idempotencyKey, ...controls })
    const outcome = await uploadForm(place, { file, send, cancelled: CANCELLED, texts })
    if (outcome?.kind === 'failed' && isKeyUsed(outcome.error)) key.set(null)
    if (outcome?.kind !== 'done') return
    key.set(null)
    onMade()
    void uploadPoster(outcome.reply.video.video_id, file, { coverMs })
    void queryClient.invalidateQueries(ANY_POSTS)
    void queryClient.invalidateQueries(accountOptionsQuery(accountId))
  }
  return { state: upload?.state ?? null, texts, publish, clear: () => void removeUpload(place.id) }
}

/** Outlives a reload and a log-out: the user who comes back may send the same again. */
function useUnansweredKey(platform: PlatformId) {
  const name = `${UNANSWERED_PREFIX} ${useUid()} ${platform}`
  const entry = useStoreEntry<string | null>(`${platform} unanswered key`, readItem(name))
  return {
    get: entry.get,
    set: (key: string | null) => {
      entry.set(key)
      if (key === null) removeItem(name)
      else writeItem(name, key)
    },
  }
}

/** The key made another post than this, or one that was deleted since. */
const isKeyUsed = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'key_reused' || error.code === 'conflict')
const ARRIVED =
  'What you sent before did arrive, so this was not sent. Check the queue, and publish again if you want this posted too.'

/** An earlier press made the post, and it has come to a stop since. */
const hasStopped = ({ deliveries }: Post): boolean =>
  deliveries.some(({ status }) => ['cancelled', 'failed', 'blocked', 'unconfirmed'].includes(status))
const STOPPED = 'You sent this before. Check the queue for what became of it.'
