import type { Handlers } from '../http/mount.ts'
import type { PostDeps } from '../posts/create-post.ts'
import { importPosts, tryImport } from './import-posts.ts'

export const csvRoutes = (deps: PostDeps): Handlers<'importPosts'> => ({
  importPosts: ({ user, body, idempotencyKey: key, markReplayed }) =>
    body.dry_run ? tryImport(deps, user, body.csv) : importPosts(deps, user, body.csv, { key, markReplayed }),
})
