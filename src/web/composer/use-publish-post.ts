import { useRef, useState } from 'react'
import type { NewPost, Post } from '#contract/posts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_QUEUES } from '#web/api/planning.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { isUnanswered } from '#web/videos/upload-error.ts'
import type { DraftSaver } from './draft-saver.ts'

export type PublishState =
  | { readonly kind: 'idle' | 'sending' }
  /** `unanswered`: the server may have taken it; sending it again makes no second post. */
  | { readonly kind: 'failed'; readonly error: Error; readonly unanswered: boolean }

type Publisher = {
  readonly state: PublishState
  /** Another press while it runs does nothing. @returns why it failed */
  readonly publish: (post: NewPost) => Promise<Error | null>
  readonly clear: () => void
}

/** One press, one call of `send`. */
export function usePublishPost(send: (post: NewPost) => Promise<PublishState>): Publisher {
  const [state, setState] = useState<PublishState>({ kind: 'idle' })
  // State is read a render late: the second press of a double click would not see it.
  const isRunning = useRef(false)
  return {
    state,
    publish: async (post) => {
      if (isRunning.current) return null
      isRunning.current = true
      setState({ kind: 'sending' })
      const outcome = await send(post).finally(() => (isRunning.current = false))
      setState(outcome)
      return outcome.kind === 'failed' ? outcome.error : null
    },
    clear: () => setState((now) => (now.kind === 'failed' ? { kind: 'idle' } : now)),
  }
}

/** Saves the draft, then makes the post of that version: it makes one post, whoever sends it and however often. */
export async function publishDraft(
  saver: DraftSaver,
  post: NewPost,
  onPublished: (post: Post) => void,
): Promise<PublishState> {
  const draft = await saver.flush()
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
    void queryClient.invalidateQueries(ANY_QUEUES)
    onPublished(made)
    return { kind: 'idle' }
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 'conflict') await saver.recheck()
    return { kind: 'failed', error, unanswered: isUnanswered(error) }
  }
}
