import type { Handlers } from '../../http/mount.ts'
import type { PostDeps } from '../create-post.ts'
import { editPost } from './edit-post.ts'
import { queuePost } from './queue-post.ts'

export const postEditRoutes = (deps: PostDeps): Handlers<'editPost' | 'queuePost'> => ({
  editPost: ({ user, params, body }) => editPost(deps, user.user_id, params.postId, body),
  queuePost: ({ user, params, body }) => queuePost(deps, user.user_id, params.postId, body),
})
