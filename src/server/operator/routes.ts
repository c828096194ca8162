import type { ServerCheck } from '#contract/operator.ts'
import { checkProxy, checkStream } from '../doctor/check-proxy.ts'
import type { DoctorDeps } from '../doctor/check.ts'
import { runDoctor } from '../doctor/doctor.ts'
import { sendTestMail, type TestMailDeps } from '../doctor/test-mail.ts'
import type { Handlers } from '../http/mount.ts'
import { insertAct, listActs } from './acts.ts'
import {
  createInvitation,
  getServerSignUp,
  type InvitationDeps,
  revokeInvitation,
  setServerSignUp,
} from './invitations.ts'
import { readServer } from './read-server.ts'
import {
  deleteUser,
  disableUser,
  endSessions,
  listServerUsers,
  sendResetLink,
  type ServerUserDeps,
  setUserQuota,
} from './users.ts'

type OperatorRouteDeps = DoctorDeps & Pick<TestMailDeps, 'mail'> & InvitationDeps & ServerUserDeps

type OperatorCalls =
  | 'getServer'
  | 'listServerChecks'
  | 'sendTestMail'
  | 'listOperatorActs'
  | 'listServerUsers'
  | 'disableUser'
  | 'setUserQuota'
  | 'endUserSessions'
  | 'resetUserPassword'
  | 'deleteServerUser'
  | 'getServerSignUp'
  | 'setServerSignUp'
  | 'createInvitation'
  | 'revokeInvitation'

export function operatorRoutes(deps: OperatorRouteDeps): Handlers<OperatorCalls> {
  const { publicUrl } = deps.config
  const check = shareRun(deps.now, () => runDoctor(deps))
  const tryStream = shareRun(deps.now, (token: string) => checkStream(publicUrl, token))
  return {
    getServer: () => readServer(deps),
    async listServerChecks({ query, ...request }) {
      const isAskedAgain = query.fresh === 'true'
      const [{ at, found }, stream] = await Promise.all([
        check(isAskedAgain, request.token),
        // The token goes where the operator's browser sends it, and nowhere else.
        new URL(publicUrl).host === request.host ? tryStream(isAskedAgain, request.token) : null,
      ])
      const items = [...checkProxy(publicUrl, request), ...(stream?.found ?? []), ...found]
      return { checked_at: new Date(at).toISOString(), items }
    },
    async sendTestMail({ user: { email } }) {
      const act = {
        operator: email,
        act: 'test_mail_sent',
        subject: email,
        before: null,
        after: null,
      } as const
      // Committed first: no transaction may wait for a mail server.
      await insertAct(deps.db, act, deps.now())
      return sendTestMail(deps, email)
    },
    listOperatorActs: ({ query }) => listActs(deps.db, query.before),
    listServerUsers: ({ query }) => listServerUsers(deps, query),
    disableUser: ({ user: operator, params: { userId }, body }) =>
      disableUser(deps, { operator, userId }, body.disabled),
    setUserQuota: ({ user: operator, params: { userId }, body }) =>
      setUserQuota(deps, { operator, userId }, body.quota_bytes),
    endUserSessions: ({ user: operator, params: { userId } }) => endSessions(deps, { operator, userId }),
    resetUserPassword: ({ user: operator, params: { userId } }) => sendResetLink(deps, { operator, userId }),
    deleteServerUser: ({ user: operator, params: { userId } }) => deleteUser(deps, { operator, userId }),
    getServerSignUp: () => getServerSignUp(deps),
    setServerSignUp: ({ user, body }) => setServerSignUp(deps, user, body.mode),
    createInvitation: ({ user, body }) => createInvitation(deps, user, body.email),
    revokeInvitation: ({ user, params }) => revokeInvitation(deps, user, params.invitationId),
  }
}

const FRESH_MS = 60_000

type Checks = { readonly at: number; readonly found: readonly ServerCheck[] }

/** All operators share one run of checks that make requests, with the token of who asked first; it is repeated after a minute. */
function shareRun(
  now: () => number,
  run: (token: string) => Promise<ServerCheck[]>,
): (isAskedAgain: boolean, token: string) => Promise<Checks> {
  let last: { readonly at: number; readonly found: Promise<ServerCheck[]>; isRunning: boolean } | null = null
  return async (isAskedAgain, token) => {
    const age = last === null ? Infinity : now() - last.at
    if (last === null || age > FRESH_MS || (isAskedAgain && !last.isRunning)) {
      const begun = { at: now(), found: run(token), isRunning: true }
      last = begun
      void begun.found.finally(() => (begun.isRunning = false))
    }
    return { at: last.at, found: await last.found }
  }
}
