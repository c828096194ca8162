import type { Handlers } from '../http/mount.ts'
import { insertAct } from '../operator/acts.ts'
import { decideRestored } from './decide-restored.ts'
import type { HoldDeps } from './hold-posts.ts'

type RestoreRouteDeps = Omit<HoldDeps, 'overdueGraceMs'> & {
  readonly config: Pick<HoldDeps, 'overdueGraceMs'>
}

export function restoreRoutes(deps: RestoreRouteDeps): Handlers<'decideRestored' | 'decideAllRestored'> {
  const holdDeps = { ...deps, overdueGraceMs: deps.config.overdueGraceMs }
  return {
    decideRestored: ({ user, body }) => decideRestored(holdDeps, user.user_id, body.decision),
    async decideAllRestored({ user, body: { decision } }) {
      const act = {
        operator: user.email,
        act: 'restored_decided',
        subject: 'all users',
        before: null,
        after: { decision },
      } as const
      // Committed first: the deliveries follow in many transactions.
      await insertAct(deps.db, act, deps.now())
      return decideRestored(holdDeps, null, decision)
    },
  }
}
