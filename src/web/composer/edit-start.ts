import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { SavedContent } from '#contract/drafts.ts'
import type { PostId } from '#contract/ids.ts'
import type { PostDetail } from '#contract/posts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { postQuery } from '#web/api/queries.ts'
import { readDraft, writeDraft } from '#web/lib/form-drafts.ts'
import { useUid } from '#web/session/browser-store.ts'
import { canEdit, editOfPost } from './edit-of-post.ts'
import type { Start } from './use-draft-saver.ts'
import type { ReadStart } from './use-start.ts'

const Kept = z.object({ version: z.int(), before: SavedContent, content: SavedContent })
const nameOf = (postId: PostId): string => `edit post ${postId}`

/** Keeps changes in this browser until they are saved; null removes them. */
export const keepChanges = (uid: string, postId: PostId, kept: z.infer<typeof Kept> | null): void =>
  writeDraft(uid, nameOf(postId), kept)

/** A post as it is, without changes. */
export function freshEdit(post: PostDetail): Start {
  const { content, aside } = editOfPost(post)
  const edited = { post, version: post.version, before: content, isRestored: false }
  return { draftId: `post ${post.post_id}`, edit: { version: 0, content }, isChanged: false, aside, edited }
}

/** The post to change, with the changes that this browser kept. */
export function useEditStart(postId: PostId, again: Start | null): ReadStart {
  const uid = useUid()
  const post = useQuery({ ...postQuery(postId), staleTime: 0 })
  const [kept] = useState(() => Kept.safeParse(readDraft(uid, nameOf(postId))).data ?? null)
  if (again !== null) return { kind: 'ready', start: again }
  if (post.error instanceof ApiProblem && post.error.code === 'not_found')
    return { kind: 'gone', what: 'post' }
  if (post.error !== null) return { kind: 'failed', query: post }
  // A cached post may be older than another tab's change.
  if (!post.data || !post.isFetchedAfterMount) return { kind: 'pending' }
  if (!canEdit(post.data)) return { kind: 'gone', what: 'started' }
  const fresh = freshEdit(post.data)
  if (kept === null || !fresh.edited) return { kind: 'ready', start: fresh }
  const { version, before, content } = kept
  const edited = { ...fresh.edited, version, before, isRestored: true }
  return { kind: 'ready', start: { ...fresh, edit: { version: 0, content }, edited } }
}
