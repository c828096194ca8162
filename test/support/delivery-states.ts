import type { Reason } from '#contract/deliveries.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { toColumns } from '#server/deliveries/record.ts'
import type { TestServer } from './test-server.ts'

type Kind = DeliveryState['kind']
type StateOf<K extends Kind> = Extract<DeliveryState, { kind: K }>

export const REFUSED: Reason = { code: 'x', message: 'It was refused.', remedy: 'Try again.', detail: null }

const tried = { attempt: 1, repeats: 0 }
const uploading = { ...tried, tries: 0, commits: 0, notReady: 0, renewed: false }
const asked = { ...tried, session: {}, checks: 0, commits: 1, reason: REFUSED }

const firstAttempt = (at: number): { readonly [K in Kind]: StateOf<K> } => ({
  scheduled: { ...tried, kind: 'scheduled', dueAt: at, reason: null, earlier: null },
  preparing: { ...uploading, kind: 'preparing', session: null, sent: 0, lostOpenings: 0, reason: null },
  committing: { ...uploading, kind: 'committing', session: {}, since: at, commits: 1 },
  processing: { ...asked, kind: 'processing', since: at, reason: null },
  unconfirmed: { ...asked, kind: 'unconfirmed', since: at, answer: null, restored: false },
  published: { ...tried, kind: 'published', at, session: null, postId: null, url: null, afterAll: false },
  in_inbox: { ...tried, kind: 'in_inbox', at, session: {}, checks: 0 },
  failed: { ...tried, kind: 'failed', at, reason: REFUSED, settled: null },
  blocked: {
    ...tried,
    kind: 'blocked',
    cause: 'account',
    until: null,
    dueAt: null,
    reason: REFUSED,
    earlier: null,
  },
  cancelled: { ...tried, kind: 'cancelled', at },
})

/** A state that a first attempt reached at `at`. */
export const makeState = <K extends Kind>(
  kind: K,
  at: number,
  change: Partial<StateOf<K>> = {},
): StateOf<K> => ({ ...firstAttempt(at)[kind], ...change })

/** Brings the deliveries with these ids where a worker would. */
export async function setState(
  { deps }: Pick<TestServer, 'deps'>,
  ids: { readonly delivery_id?: number; readonly post_id?: number; readonly account_id?: number },
  state: DeliveryState,
): Promise<void> {
  const { data, ...columns } = toColumns(state, deps.encrypter)
  await deps.db
    .updateTable('deliveries')
    .set({ ...columns, data: JSON.stringify(data) })
    .where((eb) => eb.and(ids))
    .execute()
}
