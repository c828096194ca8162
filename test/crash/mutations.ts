import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export type Mutation = {
  readonly what: string
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[]
}

/** Only runs with several processes notice these: `npm run crash -- mutations`. */
export type ProcessMutation = Mutation & {
  /** The suite's output then. */
  readonly shows: RegExp
}

export type ModuleMutation = Mutation & {
  readonly test: { readonly file: string; readonly name: string }
}

const DELIVER = 'src/server/deliveries/worker/deliver.ts'
const KEEP_LEASE = 'src/server/lease/keep-lease.ts'
const STORE = 'src/server/deliveries/store.ts'

export const PROCESS_MUTATIONS: readonly ProcessMutation[] = [
  {
    what: 'an irreversible call that is written down after it was made',
    shows: /is doubled/,
    edits: [
      {
        file: DELIVER,
        from: '    save: (claim, to, leaseMs) => save(',
        to: `    save: async (claim, to, leaseMs) =>
      to.state.kind === 'committing'
        ? { kind: 'saved', claim: { ...claim, state: to.state, wakeAt: to.wakeAt } }
        : save(`,
      },
    ],
  },
  {
    what: 'a lease that nobody checks',
    shows: /published once more/,
    edits: [
      {
        file: STORE,
        from: `      .where('version', '=', claim.version)
      .where(isHeldBy(claim.fence))
`,
        to: "      .where('version', '=', claim.version)\n",
      },
      {
        file: STORE,
        from: `      .where('delivery_id', '=', claim.deliveryId)
      .where(isHeldBy(claim.fence))
      .executeTakeFirst()
    return present`,
        to: `      .where('delivery_id', '=', claim.deliveryId)
      .executeTakeFirst()
    return present`,
      },
      {
        file: KEEP_LEASE,
        from: 'if (present === null) return call.abort()',
        to: 'if (present === null) return',
      },
      { file: KEEP_LEASE, from: '!deadline.isOver(leaseMs / 2)', to: 'true' },
      { file: KEEP_LEASE, from: 'if (deadline.isOver()) call.abort()', to: '' },
    ],
  },
]

export const MODULE_MUTATIONS: readonly ModuleMutation[] = [
  {
    what: 'an irreversible call that is made anew when its answer is lost',
    test: {
      file: 'src/domain/delivery/laws.test.ts',
      name: 'holds whatever happens, in whatever order',
    },
    edits: [
      {
        file: 'src/domain/delivery/while-committing.ts',
        from: '    unconfirmed({ ...state, session: session ?? state.session }, reasonWhileAsked(failure.reason), now),',
        to: `    stepTo({ kind: 'scheduled', attempt: state.attempt + 1, repeats: 0, dueAt: now, reason: null, earlier: null }, now),`,
      },
    ],
  },
  {
    what: 'a save that does not compare the version',
    test: {
      file: 'src/server/deliveries/store.test.ts',
      name: 'saving is refused when the user changed the delivery meanwhile, and returns the new state',
    },
    edits: [{ file: STORE, from: "      .where('version', '=', claim.version)\n", to: '' }],
  },
  {
    what: 'a first comment whose call is written down after it was made',
    test: {
      file: 'src/server/follow-ups/worker.test.ts',
      name: 'a first comment whose worker died right after the call is looked for, not made again',
    },
    edits: [
      {
        file: 'src/server/follow-ups/worker.ts',
        from: '    save: (claim, to, leaseMs) => saveFollowUp(',
        to: `    save: async (claim, to, leaseMs) =>
      to.record.state.kind === 'commenting'
        ? { kind: 'saved', claim: { ...claim, ...to } }
        : saveFollowUp(`,
      },
    ],
  },
  {
    what: 'a first comment that is made anew when its answer is lost',
    test: {
      file: 'src/domain/follow-up/comment.test.ts',
      name: 'only a refusal or a call that never left leads from a call to another one',
    },
    edits: [
      {
        file: 'src/domain/follow-up/comment-step.ts',
        from: 'unconfirmed(state, failure.reason, now),',
        to: 'afterFailure(before(state), failure, now),',
      },
    ],
  },
  {
    what: 'a retry of a failure that a newer post has replaced',
    test: {
      file: 'src/domain/delivery/step.test.ts',
      name: 'the transition table failedReplaced + retry -> refused',
    },
    edits: [
      {
        file: 'src/domain/delivery/by-user.ts',
        from: "? state.settled?.kind !== 'replaced'",
        to: '? true',
      },
    ],
  },
  {
    what: "Instagram's 4/2207051 taken for a refusal",
    test: {
      file: 'src/platforms/instagram/publish.test.ts',
      name: 'the answer to the publish call is stored in the session',
    },
    edits: [
      {
        file: 'src/platforms/instagram/publish/publish.ts',
        from: "return code === '100/2207089' ||",
        to: "return code === '4/2207051' || code === '100/2207089' ||",
      },
    ],
  },
  {
    what: 'the end of a YouTube upload sent before the call that publishes',
    test: {
      file: 'src/platforms/youtube/publish.test.ts',
      name: 'the file is sent in whole units, and its end is held back',
    },
    edits: [
      {
        file: 'src/platforms/youtube/publish/upload.ts',
        from: 'const until = heldBackFrom(session.size)',
        to: 'const until = Math.max(session.size, heldBackFrom(session.size))',
      },
    ],
  },
  {
    what: 'a YouTube upload that goes on where it is believed to be',
    test: {
      file: 'src/platforms/youtube/publish.test.ts',
      name: 'sending goes on from what YouTube holds, not from what was saved',
    },
    edits: [
      {
        file: 'src/platforms/youtube/publish/upload.ts',
        from: "until === 0 && !session.contested\n      ? { kind: 'wanting', next: 0,",
        to: "!session.contested\n      ? { kind: 'wanting', next: session.next,",
      },
    ],
  },
]

/** @throws when the code no longer exists: a mutation that changes nothing proves nothing */
export function plant(root: string, { what, edits }: Mutation): void {
  for (const { file, from, to } of edits) {
    const place = path.join(root, file)
    const source = readFileSync(place, 'utf8')
    if (!source.includes(from)) throw new Error(`${file} has no place for "${what}" any more:\n${from}`)
    writeFileSync(place, source.replace(from, to))
  }
}
