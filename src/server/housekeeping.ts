import type { Logger } from 'pino'
import { refreshDue, type AccessDeps } from './accounts/access.ts'

const EVERY_MS = 60_000
/** Each round renews the access of so many accounts; a server with more of them due takes more rounds. */
const REFRESHES_A_ROUND = 20
/** Answers to a consent page that a browser may still ask for again. */
const LINK_ATTEMPTS_KEPT_MS = 24 * 3_600_000

/** What must be done now and then whether anybody posts or not. Safe in any number of processes at once. */
export function startHousekeeping(deps: AccessDeps & { readonly log: Logger }): { stop(): Promise<void> } {
  let round = Promise.resolve()
  const next = () => {
    round = round
      .then(() => keepHouse(deps))
      .catch((error: unknown) => {
        deps.log.error({ err: error }, 'housekeeping stumbled; it comes round again')
      })
  }
  const timer = setInterval(next, EVERY_MS)
  next()
  return {
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}

async function keepHouse(deps: AccessDeps): Promise<void> {
  await refreshDue(deps, REFRESHES_A_ROUND)
  const now = deps.now()
  await deps.db.deleteFrom('media_links').where('expires_at', '<', new Date(now)).execute()
  await deps.db
    .deleteFrom('link_attempts')
    .where('created_at', '<', new Date(now - LINK_ATTEMPTS_KEPT_MS))
    .execute()
}
