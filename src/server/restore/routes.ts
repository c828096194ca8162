import type { Handlers } from '../http/mount.ts'
import { type HoldDeps, resumeHeld } from './hold-posts.ts'

export const restoreRoutes = (
  deps: Omit<HoldDeps, 'overdueGraceMs'> & { readonly config: Pick<HoldDeps, 'overdueGraceMs'> },
): Handlers<'resumePlanned'> => ({
  resumePlanned: ({ user }) =>
    resumeHeld({ ...deps, overdueGraceMs: deps.config.overdueGraceMs }, user.user_id),
})
