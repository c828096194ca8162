import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { DraftContent } from '#contract/drafts.ts'
import { PostId } from '#contract/ids.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_POSTS, postQuery, queryClient } from '#web/api/queries.ts'
import { useUid } from '#web/session/browser-store.ts'
import { toPostChange, startedIn, type Edited } from './edit-of-post.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { keepChanges } from './edit-start.ts'

/** `idle`: something else is shown instead, such as two versions. */
export type PublishOutcome =
  | { readonly kind: 'idle' }
  | { readonly kind: 'done'; readonly post: Post }
  /** `unanswered`: the server may have taken it; sending it again makes no second post. */
  | { readonly kind: 'failed'; readonly error: Error; readonly unanswered: boolean }

/** Often enough to see that an account has started. */
const REFRESH_MS = 15_000

/** A post that is being changed, while it may start or be changed elsewhere. `edited` null: a new post, none of this. */
export function useEdit(edited: Edited | null, content: DraftContent) {
  const uid = useUid()
  const postId = edited?.post.post_id ?? PostId.parse(1)
  const [version, setVersion] = useState(edited?.version ?? 0)
  const { data, refetch } = useQuery({
    ...postQuery(postId),
    enabled: edited !== null,
    refetchInterval: REFRESH_MS,
  })
  const post = edited === null ? null : (data ?? edited.post)
  const isChanged = edited !== null && JSON.stringify(content) !== JSON.stringify(edited.before)
  const isSaved = useRef(false)
  useEffect(() => {
    if (edited === null || isSaved.current) return
    const { before } = edited
    keepChanges(uid, edited.post.post_id, isChanged ? { version, before, content } : null)
  }, [uid, edited, version, content, isChanged])

  const save = async (made: NewPost): Promise<PublishOutcome> => {
    if (edited === null || post === null) return { kind: 'idle' }
    const { confirm_repeat } = made
    try {
      const change = toPostChange(post, { before: edited.before, content }, made)
      if (change) {
        const body = { version, ...change, confirm_repeat }
        setVersion((await call('editPost', { params: { postId }, body })).version)
      }
      isSaved.current = true
      keepChanges(uid, postId, null)
      void queryClient.invalidateQueries(ANY_SCHEDULES)
      const { data: saved = post } = await refetch()
      void queryClient.invalidateQueries(ANY_POSTS)
      return { kind: 'done', post: saved }
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      // An account that has started shows as locked.
      if (error.code === 'conflict' || error.code === 'in_flight') await refetch()
      // The other version is shown instead.
      if (error.code === 'conflict') return { kind: 'idle' }
      return { kind: 'failed', error, unanswered: isUnanswered(error) }
    }
  }
  return {
    post,
    isChanged,
    started: post === null ? NOTHING : startedIn(post),
    /** The version that another tab has saved; null: none. */
    theirs: post !== null && post.version !== version ? post : null,
    keepMine: () => post && setVersion(post.version),
    save,
  }
}

const NOTHING: ReturnType<typeof startedIn> = new Map()
