import type { Handlers } from '../../http/mount.ts'
import type { PostDeps } from '../create-post.ts'
import { bulkPosts } from './bulk-posts.ts'
import { editPost } from './edit-post.ts'
import { moveAccountPosts } from './move-account-posts.ts'

export const postEditRoutes = (deps: PostDeps): Handlers<'editPost' | 'bulkPosts' | 'moveAccountPosts'> => ({
  editPost: ({ user, params, body }) => editPost(deps, user.user_id, params.postId, body),
  bulkPosts: ({ user, body }) => bulkPosts(deps, user.user_id, body),
  moveAccountPosts: ({ user, params, body }) =>
    moveAccountPosts(deps, user.user_id, {
      from: params.accountId,
      to: body.to_account_id,
      posts: body.posts,
    }),
})
