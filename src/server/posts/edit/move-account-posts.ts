import type { AccountId, PostId } from '#contract/ids.ts'
import type { AccountPostsMoved } from '#contract/planning/bulk-posts.ts'
import { POSTS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { PostChange } from '#contract/posts.ts'
import { notFound, Problem } from '#base/problem.ts'
import { findAccount, readWaiting } from '../../accounts/store.ts'
import { refusal } from '../../http/parse.ts'
import type { PostDeps } from '../create-post.ts'
import { forEachPost } from './bulk-posts.ts'
import { editPost } from './edit-post.ts'
import { readTargets, selectWaitingPosts } from './store.ts'

export type AccountMove = { readonly from: AccountId; readonly to: AccountId; readonly posts: number }

/** Posts that one call tries, where most of them stay. */
const TRIED_MAX = 500

/**
 * Lets what waits for an account go to another one, post by post, until `limit` have moved. One that the other account cannot take, or
 * gets already, stays.
 * @throws Problem not_found; invalid for an account of another platform; posts_waiting where another number of posts waits
 */
export async function moveAccountPosts(
  deps: PostDeps,
  userId: number,
  { from, to, posts }: AccountMove,
  { limit, most } = { limit: POSTS_AT_ONCE_MAX, most: TRIED_MAX },
): Promise<AccountPostsMoved> {
  const { db } = deps
  const [one, other] = await Promise.all([findAccount(db, userId, from), findAccount(db, userId, to)])
  if (from === to || one.platform !== other.platform)
    throw refusal('invalid', { to_account_id: ['Choose another account of the same platform.'] })
  const waiting = await readWaiting(db, userId, { accountId: from })
  if (waiting.posts !== posts)
    throw new Problem('posts_waiting', 'The number of scheduled posts has changed. Check again.')
  const ids = await selectWaitingPosts(db, { userId, accountId: from, limit: most })
  let moved = 0
  const tried = await forEachPost(ids, async (postId) => {
    if (moved === limit) return null
    await moveOne(deps, userId, { postId, from, to })
    moved += 1
    return { post_id: postId }
  })
  return { ...tried, left: posts - tried.done.length - tried.refused.length }
}

const HELD = 'This post is held because the server was restored. Say first what became of it.'
const LATE = 'The time of this post has passed. Choose another time for it first.'

type OneMove = { readonly postId: PostId; readonly from: AccountId; readonly to: AccountId }

async function moveOne(deps: PostDeps, userId: number, { postId, from, to }: OneMove): Promise<void> {
  const post = await readTargets(deps.db, userId, postId)
  if (post === null) throw notFound('post')
  if (post.targets.some(({ account_id }) => account_id === to))
    throw new Problem('conflict', 'This post already goes to that account.')
  // A late post would go out at once from the other account, which only its user may decide.
  const cause = post.targets.find(({ account_id }) => account_id === from)?.cause
  if (cause === 'missed' || cause === 'paused') throw new Problem('conflict', LATE)
  if (cause === 'restored') throw new Problem('conflict', HELD)
  const targets: PostChange['targets'] = post.targets.map(({ account_id, text, options, after_minutes }) => ({
    account_id: account_id === from ? to : account_id,
    text,
    options,
    after_minutes,
  }))
  await editPost(deps, userId, postId, { version: post.version, targets })
}
