import { useNavigate } from 'react-router'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId } from '#contract/ids.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { PATHS, type QueueState } from '#web/lib/paths.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { useFormDraft } from '#web/session/browser-store.ts'
import { announce } from '#web/ui/announce.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { LAST_SELECTION, LastSelection } from './account-selection.ts'
import { isWorthSaving } from './compose-state.ts'
import type { DraftSaver } from './draft-saver.ts'
import { validate, type Judged } from './readiness.ts'
import type { PublishOutcome, useEdit } from './use-edit.ts'

type Props = {
  content: DraftContent
  saver: DraftSaver
  edit: ReturnType<typeof useEdit>
  /** A post is changed rather than made of a draft. */
  isEdit: boolean
}

/** Makes the post, or saves its changes, and then shows it in the queue; or saves the draft and shows the drafts. */
export function usePublish({ content, saver, edit, isEdit }: Props) {
  const navigate = useNavigate()
  const zone = useOwnZone()
  const last = useFormDraft(LAST_SELECTION, LastSelection, NOBODY)
  const showInQueue = async ({ post_id: postId, publish_at: at }: Post) => {
    const made: QueueState = { postId }
    const when = content.schedule && at && namedDayAndTime(at, { zone, now: serverNow() })
    await navigate(PATHS.queue, { state: made })
    // Another post may have taken the slot that was shown.
    if (when) announce({ kind: 'done', message: `Scheduled: ${when}` })
    else if (isEdit) announce({ kind: 'done', message: 'Changes saved.' })
  }
  return {
    publish: async (post: NewPost): Promise<PublishOutcome> => {
      const outcome = await (isEdit ? edit.save(post) : publishDraft(saver, post))
      if (outcome.kind !== 'done') return outcome
      if (!isEdit) last.set(content.targets.map(({ account_id }) => account_id))
      void showInQueue(outcome.post)
      return outcome
    },
    saveDraft: async (): Promise<void> => {
      if ((await saver.flush(isWorthSaving(content))) === null) return
      await navigate(PATHS.drafts)
      announce({ kind: 'done', message: 'Draft saved.' })
    },
    /** The accounts of the last post. */
    lastUsed: last.value,
  }
}

const NOBODY: readonly AccountId[] = []

/** Saves the draft, then makes the post of that version: it makes one post, whoever sends it and however often. */
async function publishDraft(saver: DraftSaver, post: NewPost): Promise<PublishOutcome> {
  const draft = await saver.flush(true)
  if (draft === null) {
    const saved = saver.state.get()
    // A conflict shows both versions instead.
    return saved.kind === 'failed'
      ? { kind: 'failed', error: saved.error, unanswered: false }
      : { kind: 'idle' }
  }
  try {
    const made = await call('createPost', { body: { ...post, draft } })
    saver.stop()
    void queryClient.invalidateQueries(ANY_POSTS)
    void queryClient.invalidateQueries(ANY_DRAFTS)
    void queryClient.invalidateQueries(ANY_SCHEDULES)
    return { kind: 'done', post: made }
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 'conflict') await saver.recheck()
    return { kind: 'failed', error, unanswered: isUnanswered(error) }
  }
}

/** Lists show a post by its shared caption: if every account has another one instead, by the first of these. */
export const textForLists = (shared: string, targets: readonly { readonly text?: string }[]): string =>
  shared.trim() === '' && targets.every(({ text }) => text !== undefined)
    ? (targets[0]?.text ?? shared)
    : shared

/** The request; null: something is missing after all. */
export function toNewPost(content: DraftContent, selected: readonly Judged[]): NewPost | null {
  if (content.video_id === null) return null
  const targets = selected.map(({ live, outgoing }) => {
    const options = validate(live, outgoing)
    return options.ok
      ? {
          account_id: live.account.account_id,
          options: options.info,
          ...(outgoing.textOf !== 'all' && { text: outgoing.text }),
          ...(outgoing.afterMinutes > 0 && { after_minutes: outgoing.afterMinutes }),
        }
      : null
  })
  const valid = targets.filter((target) => target !== null)
  if (valid.length < targets.length) return null
  return {
    video_id: content.video_id,
    text: textForLists(content.text, valid),
    targets: valid,
    ...(content.publish_at !== null && { publish_at: content.publish_at }),
    ...(content.replaces && { replaces: content.replaces }),
    ...(content.schedule && { schedule: content.schedule }),
  }
}
