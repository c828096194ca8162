import { z } from 'zod'
import { BlockedCause } from '#contract/deliveries.ts'
import type { DeliveryState, Session } from '#domain/delivery/state.ts'
import type { Encrypter } from '#base/encryption.ts'
import { StoredAnswer, StoredReason, withoutWords } from '../db/stored-reason.ts'
import { warnOfUnreadable } from '../db/unreadable.ts'

/**
 * A state as its row keeps it: the kind in a column of its own, the session encrypted, the rest as JSON, its reasons without
 * their words. Read back through a
 * schema, so that a row that another version wrote is noticed and not misread.
 */
export type StateColumns = {
  readonly state: DeliveryState['kind']
  readonly data: Record<string, unknown>
  readonly session: Buffer | null
}

const Attempted = z.object({ attempt: z.int().min(1), repeats: z.int().min(0).default(0) })
const time = z.number()
const count = z.int().min(0)
const Earlier = z.object({ since: time, looks: count }).nullable().default(null)
const Settled = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('dismissed'), at: time }),
    z.object({ kind: z.literal('replaced'), at: time, postId: z.int() }),
  ])
  .nullable()
  .default(null)
const Stored = z.discriminatedUnion('kind', [
  Attempted.extend({
    kind: z.literal('scheduled'),
    dueAt: time,
    reason: StoredReason.nullable(),
    earlier: Earlier,
  }),
  Attempted.extend({
    kind: z.literal('preparing'),
    sent: count,
    tries: count,
    lostOpenings: count.default(0),
    commits: count,
    notReady: count.default(0),
    renewed: z.boolean().default(false),
    reason: StoredReason.nullable(),
  }),
  Attempted.extend({
    kind: z.literal('committing'),
    since: time,
    commits: count,
    tries: count.default(0),
    notReady: count.default(0),
    renewed: z.boolean().default(false),
  }),
  Attempted.extend({
    kind: z.literal('processing'),
    since: time,
    checks: count,
    commits: count,
    reason: StoredReason.nullable(),
  }),
  Attempted.extend({
    kind: z.literal('published'),
    at: time,
    postId: z.string().nullable(),
    url: z.string().nullable(),
    afterAll: z.boolean().default(false),
  }),
  Attempted.extend({ kind: z.literal('in_inbox'), at: time, checks: count }),
  Attempted.extend({ kind: z.literal('failed'), at: time, reason: StoredReason, settled: Settled }),
  Attempted.extend({
    kind: z.literal('blocked'),
    cause: BlockedCause,
    until: time.nullable(),
    dueAt: time.nullable().default(null),
    reason: StoredReason,
    earlier: Earlier,
  }),
  Attempted.extend({
    kind: z.literal('unconfirmed'),
    since: time,
    checks: count,
    commits: count,
    reason: StoredReason,
    answer: StoredAnswer.nullable().default(null),
    restored: z.boolean().default(false),
  }),
  Attempted.extend({ kind: z.literal('cancelled'), at: time }),
])
type Stored = z.infer<typeof Stored>
const StoredSession = z.record(z.string(), z.json())

export function toColumns(state: DeliveryState, encrypter: Encrypter): StateColumns {
  const { kind, ...rest } = state
  const columns = (data: Record<string, unknown>, session: Session | null): StateColumns => ({
    state: kind,
    data: withoutWords(data),
    session: session === null ? null : encrypter.encrypt(JSON.stringify(session)),
  })
  if ('earlier' in rest) {
    if (rest.earlier === null) return columns(rest, null)
    const { session, ...earlier } = rest.earlier
    return columns({ ...rest, earlier }, session)
  }
  if (!('session' in rest)) return columns(rest, null)
  const { session, ...data } = rest
  return columns(data, session)
}

/** The state with its session decrypted, for the worker. */
export const fromColumns = (row: Columns, encrypter: Encrypter): DeliveryState =>
  read(row, (encrypted) => StoredSession.parse(JSON.parse(encrypter.decrypt(encrypted))))

/**
 * The state for display. What a user sees never depends on the session, which stays encrypted. null: this version cannot read
 * the row, so that nothing is known of it and nothing can be done with it.
 */
export function stateToShow(row: Columns & { readonly delivery_id: number }): DeliveryState | null {
  try {
    return read(row, () => ({}))
  } catch (error) {
    // A schema says no by throwing; whatever else is wrong with the row is shown in the same way.
    warnOfUnreadable('delivery', row.delivery_id, error)
    return null
  }
}

type Columns = { readonly state: string; readonly data: unknown; readonly session: Buffer | null }

function read(row: Columns, open: (encrypted: Buffer) => Session): DeliveryState {
  const stored = Stored.parse({ kind: row.state, ...(row.data as object) })
  switch (stored.kind) {
    case 'scheduled':
    case 'blocked': {
      const { earlier, ...rest } = stored
      if (earlier === null || row.session === null) return { ...rest, earlier: null }
      return { ...rest, earlier: { ...earlier, session: open(row.session) } }
    }
    case 'failed':
    case 'cancelled':
      return stored
    case 'preparing':
    case 'published':
      return { ...stored, session: row.session === null ? null : open(row.session) }
    case 'committing':
    case 'processing':
    case 'in_inbox':
    case 'unconfirmed': {
      if (row.session === null) throw new Error(`A delivery is "${stored.kind}" without a session.`)
      return { ...stored, session: open(row.session) }
    }
  }
}
