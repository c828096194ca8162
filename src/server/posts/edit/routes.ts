import type { Handlers } from '../../http/mount.ts'
import type { PostDeps } from '../create-post.ts'
import { editPost } from './edit-post.ts'

export const postEditRoutes = (deps: PostDeps): Handlers<'editPost'> => ({
  editPost: ({ user, params, body }) => editPost(deps, user.user_id, params.postId, body),
})
