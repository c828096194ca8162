import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { WITH_COMMENTS } from '../../support/options.ts'
import { type Dice, throwDice } from './dice.ts'
import type { Account, Action, Moment, Scenario, ScheduledEvent } from './scenario.ts'

/** The worker's points (`crashPoint` in `server/deliveries`), and those of the renewal of access. */
const POINTS: Record<PlatformId, readonly string[]> = {
  tiktok: [
    'claimed scheduled',
    'before save preparing',
    'after save preparing',
    'before preparing call',
    'after preparing call',
    'before save committing',
    'after save committing',
    'before commit',
    'after commit',
    'before save processing',
    'after save processing',
    'before processing call',
    'after processing call',
    'before save published',
    'after save published',
  ],
  instagram: [
    'claimed scheduled',
    'before save preparing',
    'after save preparing',
    'before preparing call',
    'after preparing call',
    'before save committing',
    'after save committing',
    'before commit',
    'after commit',
    'before save published',
    'after save published',
  ],
  youtube: [
    'claimed scheduled',
    'before save preparing',
    'after save preparing',
    'before preparing call',
    'after preparing call',
    'before save committing',
    'after save committing',
    'before commit',
    'after commit',
    'before save processing',
    'after save processing',
    'before processing call',
    'after processing call',
    'before save published',
    'after save published',
  ],
}
/** Points of a first comment. */
const COMMENT_POINTS = [
  'before save commenting first_comment',
  'after save commenting first_comment',
  'after save commenting first_comment',
  'before comment',
  'after comment',
  'after comment',
  'before save done first_comment',
  'before save unconfirmed first_comment',
  'after save unconfirmed first_comment',
]
/** Reached only after something went wrong. */
const LATE_POINTS = [
  'before save unconfirmed',
  'after save unconfirmed',
  'before unconfirmed call',
  'after unconfirmed call',
  'claimed unconfirmed',
  'claimed committing',
  'claimed preparing',
  'before refresh',
  'after refresh',
]
const IRREVERSIBLE: Record<PlatformId, string> = {
  tiktok: 'final_chunk',
  instagram: 'publish',
  youtube: 'final_chunk',
}
const CALLS: Record<PlatformId, readonly string[]> = {
  tiktok: ['creator_info', 'init', 'final_chunk', 'status', 'refresh'],
  instagram: ['create', 'fetch', 'container', 'publish', 'refresh'],
  youtube: ['initiate', 'final_chunk', 'probe', 'videos', 'refresh'],
}
/** Calls with access, which can end. */
const WITH_ACCESS: Record<PlatformId, readonly string[]> = {
  tiktok: ['creator_info', 'init', 'status'],
  instagram: ['create', 'container', 'publish'],
  youtube: ['initiate', 'final_chunk', 'probe', 'videos'],
}
/** Platforms that are sent bytes, in several parts if the video is long. */
const PUSHED: readonly PlatformId[] = ['tiktok', 'youtube']
const FAULTS = [
  'drop_before',
  'drop_after',
  'reset_midway',
  'status_500',
  'status_500_after',
  'status_429',
  'html_502',
  'slow',
  'slow_body',
  'repeated',
  'token_expired',
]

/** The first runs of every seed: a kill at each point in turn, and two where the second one is the worst. */
export const FIRST_RUNS = PLATFORM_IDS.flatMap((platform) =>
  [
    ...POINTS[platform].map((at) => [at]),
    ['after save committing', 'after save committing'],
    ['after commit', 'after save unconfirmed'],
  ].map((points) => ({ platform, points })),
)

/** Equal arguments give equal scenarios. */
export function drawScenario(seed: number, run: number): Scenario {
  const first = FIRST_RUNS[run]
  return first === undefined ? drawBadDay(seed, run) : deaths(seed, run, first)
}

const deaths = (seed: number, run: number, context: (typeof FIRST_RUNS)[number]): Scenario => ({
  seed,
  run,
  video: 'short',
  accounts: [{ platform: context.platform, creator: `r${run}_0` }],
  posts: 1,
  captions: 'shared',
  apartMinutes: 0,
  firstComments: false,
  drafts: false,
  refusals: 0,
  failures: 'retry',
  workers: 1,
  events: context.points.map((at) => action(code(at, 0), { type: 'kill', awayS: 0 })),
})

function drawBadDay(seed: number, run: number): Scenario {
  const dice = throwDice(seed * 1_000_003 + run)
  const video = dice.chance(0.08) ? 'long' : 'short'
  const platform = dice.pick(video === 'long' ? PUSHED : PLATFORM_IDS)
  const mixed = video === 'short' && dice.chance(0.25)
  const second = mixed ? dice.pick(PLATFORM_IDS.filter((id) => id !== platform)) : platform
  const count = video === 'long' ? 1 : dice.pick([1, 1, 1, 2, 3])
  const accounts = Array.from({ length: mixed ? Math.max(2, count) : count }, (_, index): Account => {
    const own = mixed && index % 2 === 1 ? second : platform
    return { platform: own, creator: `r${run}_${index}` }
  })
  const posts = video === 'long' ? 1 : dice.pick([1, 1, 1, 2])
  const context: Context = {
    dice,
    platform,
    video,
    accounts: accounts.length,
    deliveries: accounts.length * posts,
  }
  const workers = dice.chance(0.2) ? 2 : 1
  const events = dice.pick(THEMES)(context)
  // Drawn last, so that earlier run numbers keep their events from before captions, first comments, drafts and edits
  // existed.
  const captions = dice.pick(['shared', 'own', 'crossed'] as const)
  const commented = WITH_COMMENTS.filter((id) => accounts.some((one) => one.platform === id))
  const firstComments = commented.length > 0 && dice.chance(0.5)
  const all = firstComments ? [...events, ...drawCommentTrouble(dice, dice.pick(commented))] : events
  const drafts = accounts.some((one) => one.platform === 'tiktok') && dice.chance(0.3)
  const edited = dice.chance(0.25) ? [...all, changeOfMind(context)] : all
  const refusals = dice.chance(0.35) ? dice.pick([1, 1, 2]) : 0
  const failures = dice.pick(['retry', 'resend', 'resend', 'both', 'dismiss'] as const)
  const tidied = refusals > 0 ? [...edited, ...tidyingUp(context)] : edited
  const those = drafts ? tidied.map(ofDrafts) : tidied
  const apartMinutes = accounts.length > 1 && dice.chance(0.4) ? dice.pick([1, 2, 5]) : 0
  return {
    seed,
    run,
    video,
    accounts,
    posts,
    captions,
    apartMinutes,
    firstComments,
    drafts,
    refusals,
    failures,
    workers,
    events: those,
  }
}

/** The user changes a post around the moment when a worker begins with it. */
const changeOfMind = ({ dice, accounts, deliveries }: Context): ScheduledEvent =>
  action(
    code(
      dice.pick([
        'claimed scheduled',
        'before save preparing',
        'before save preparing',
        'after save preparing',
      ]),
      dice.int(deliveries),
    ),
    { type: 'edit', account: dice.int(accounts) },
  )

/** The user handles a refusal while a worker is still busy with it or another post, and may be killed. */
function tidyingUp(context: Context): readonly ScheduledEvent[] {
  const { dice, accounts, deliveries } = context
  const press = (at: string): ScheduledEvent =>
    action(code(at, dice.int(deliveries)), {
      type: dice.pick(['resend', 'resend', 'dismiss', 'retry']),
      account: dice.int(accounts),
    })
  return [
    press(dice.pick(['before save failed', 'after save failed', 'after save failed'])),
    ...(dice.chance(0.5) ? [press(dice.pick([...POINTS[context.platform], 'after save failed']))] : []),
    ...(dice.chance(0.3)
      ? [kill(dice, code(dice.pick(['before save failed', 'after save failed']), 0))]
      : []),
  ]
}

/** The variant for drafts in an inbox: other calls, another end. */
function ofDrafts(event: ScheduledEvent): ScheduledEvent {
  if (event.type === 'fault') return { ...event, call: toDraftCall(event.call) }
  const { when } = event
  return when.on === 'wire'
    ? { ...event, when: { ...when, call: toDraftCall(when.call) } }
    : { ...event, when: { ...when, at: when.at.replace('save published', 'save in_inbox') } }
}
const toDraftCall = (call: string): string =>
  call === 'init' || call === 'creator_info' ? 'inbox_init' : call

/** Additional trouble with comments: a kill, a lost or late answer, a refusal. */
function drawCommentTrouble(dice: Dice, platform: PlatformId): readonly ScheduledEvent[] {
  const death = kill(
    dice,
    dice.chance(0.8)
      ? code(dice.pick(COMMENT_POINTS), dice.pick([0, 0, 1]))
      : { on: 'wire', platform, call: 'comment', skip: 0 },
  )
  const sleep = action(code(dice.pick(['after save commenting first_comment', 'before comment']), 0), {
    type: 'freeze',
  })
  const badAnswer: ScheduledEvent = {
    type: 'fault',
    platform,
    call: dice.pick(['comment', 'comment', 'comment', 'comment_list']),
    fault: dice.pick(COMMENT_FAULTS),
    times: dice.pick([1, 1, 2]),
    after: dice.pick([0, 0, 1]),
  }
  return dice.pick([[death], [badAnswer], [badAnswer, death], [sleep]])
}
const COMMENT_FAULTS = [
  'drop_before',
  'drop_after',
  'drop_after',
  'reset_midway',
  'status_500',
  'status_500_after',
  'status_429',
  'html_502',
  'token_expired',
]

type Context = {
  readonly dice: Dice
  readonly platform: PlatformId
  readonly video: Scenario['video']
  readonly accounts: number
  readonly deliveries: number
}

/** Each theme is a kind of bad day; a run has one of them, so that every kind occurs often. */
const THEMES: readonly ((context: Context) => readonly ScheduledEvent[])[] = [
  // One kill, anywhere.
  (context) => [kill(context.dice, anyCode(context))],
  // Several crashes in a row, also of workers that took over.
  (context) => [
    kill(context.dice, anyCode(context)),
    kill(context.dice, code(context.dice.pick([...LATE_POINTS, ...POINTS[context.platform]]), 0)),
    ...(context.dice.chance(0.4) ? [kill(context.dice, lateCode(context))] : []),
  ],
  // The worker dies while the platform delays its answer.
  (context) => [
    kill(context.dice, wire(context)),
    ...(context.dice.chance(0.3) ? [kill(context.dice, lateCode(context))] : []),
  ],
  // The answer to the irreversible call is lost or wrong.
  (context) => [
    doubtfulAnswer(context),
    ...(context.dice.chance(0.5) ? [fault(context)] : []),
    ...someKill(context, 0.3),
  ],
  // Network faults in several places.
  (context) => [
    fault(context),
    fault(context),
    ...(context.dice.chance(0.5) ? [fault(context)] : []),
    ...someKill(context, 0.3),
  ],
  // A worker sleeps through its lease.
  (context) => [
    action(
      code(context.dice.pick(['after save committing', 'before commit', ...POINTS[context.platform]]), 0),
      {
        type: 'freeze',
      },
    ),
    ...(context.dice.chance(0.3) ? [doubtfulAnswer(context)] : []),
  ],
  // The database or another service is away.
  (context) => [
    action(context.dice.chance(0.7) ? anyCode(context) : wire(context), {
      type: context.dice.pick([
        'cut_database',
        'cut_database',
        'cut_database',
        'restart_database',
        'kill_web',
        'kill_platforms',
      ]),
    }),
    ...someKill(context, 0.4),
  ],
  // The user changes plans.
  (context) => [
    action(context.dice.chance(0.7) ? anyCode(context) : wire(context), {
      type: context.dice.pick(['cancel', 'cancel', 'unlink', 'delete_post', 'retry']),
      account: context.dice.int(context.accounts),
    }),
    ...(context.dice.chance(0.4) ? [doubtfulAnswer(context)] : []),
    ...someKill(context, 0.4),
  ],
  // The account changes during the run.
  (context) => [
    action(anyCode(context), {
      type: context.dice.pick(['make_private', 'revoke_access']),
      account: context.dice.int(context.accounts),
    }),
    ...(context.dice.chance(0.5) ? [fault(context, 'token_expired')] : []),
    ...someKill(context, 0.3),
  ],
  // Access ends, and is renewed under trouble.
  (context) => [
    fault(context, 'token_expired'),
    context.dice.chance(0.5)
      ? kill(context.dice, code(context.dice.pick(['before refresh', 'after refresh']), 0))
      : {
          type: 'fault',
          platform: context.platform,
          call: 'refresh',
          fault: lossy(context.dice),
          times: 1,
          after: 0,
        },
    ...(context.dice.chance(0.3) ? [doubtfulAnswer(context)] : []),
  ],
  // Wrong clocks.
  (context) => [
    action(anyCode(context), {
      type: 'clock_jump',
      byS: context.dice.pick([-3600, -600, 600, 7200, 90_000]),
    }),
    ...(context.dice.chance(0.5) ? [doubtfulAnswer(context)] : []),
    ...someKill(context, 0.4),
  ],
  // Everything at once.
  (context) => [
    doubtfulAnswer(context),
    fault(context),
    kill(context.dice, anyCode(context)),
    action(anyCode(context), {
      type: context.dice.pick(['cut_database', 'second_worker', 'second_worker', 'kill_web']),
    }),
    ...someKill(context, 0.5),
  ],
]

const code = (at: string, skip: number): Moment => ({ on: 'code', at, skip })
const anyCode = (context: Context): Moment =>
  code(context.dice.pick(POINTS[context.platform]), skips(context))
/** Never more often than the point can occur. */
const skips = ({ dice, video, deliveries }: Context): number =>
  dice.chance(0.7) ? 0 : dice.int(video === 'long' ? 6 : deliveries)
const lateCode = ({ dice }: Context): Moment => code(dice.pick(LATE_POINTS), 0)
const wire = (context: Context): Moment => ({
  on: 'wire',
  platform: context.platform,
  call: context.dice.chance(0.5)
    ? IRREVERSIBLE[context.platform]
    : context.dice.pick(WITH_ACCESS[context.platform]),
  skip: skips(context),
})
const anyCall = ({ dice, platform, video }: Context): string =>
  dice.pick(video === 'long' ? [...CALLS[platform], 'chunk', 'chunk', 'chunk'] : CALLS[platform])

const action = (when: Moment, what: Action): ScheduledEvent => ({ type: 'action', when, action: what })
/** A service is away for a moment, or longer than the life of a TikTok upload or an Instagram container. */
const kill = (dice: Dice, when: Moment): ScheduledEvent =>
  action(when, { type: 'kill', awayS: dice.pick([0, 0, 0, 0, 0, 60, 150, 3_700, 7_300, 90_000]) })
const someKill = (context: Context, probability: number): readonly ScheduledEvent[] =>
  context.dice.chance(probability) ? [kill(context.dice, anyCode(context))] : []

const lossy = (dice: Dice): string =>
  dice.pick(['drop_before', 'drop_after', 'reset_midway', 'status_500', 'html_502'])

function fault(context: Context, kind = context.dice.pick(FAULTS)): ScheduledEvent {
  const { platform } = context
  const call = kind === 'token_expired' ? context.dice.pick(WITH_ACCESS[platform]) : anyCall(context)
  return {
    type: 'fault',
    platform,
    call,
    // Reelay only sees that a download failed.
    fault: call === 'fetch' ? context.dice.pick(['drop_before', 'reset_midway']) : kind,
    times: call === 'fetch' ? 1 : context.dice.pick([1, 1, 2, 3]),
    after: skips(context),
  }
}

function doubtfulAnswer({ dice, platform }: Context): ScheduledEvent {
  const kinds = [
    'drop_after',
    'drop_after',
    'status_500_after',
    'reset_midway',
    'drop_before',
    'html_502',
    'repeated',
  ]
  return {
    type: 'fault',
    platform,
    call: IRREVERSIBLE[platform],
    fault: dice.pick(platform === 'instagram' ? [...kinds, 'publish_error_but_live'] : kinds),
    times: dice.pick([1, 1, 1, 2]),
    after: 0,
  }
}
