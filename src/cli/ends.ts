import type { Post } from '#contract/posts.ts'

/** The exit codes with their meanings, as `--help` lists them. */
export const EXITS = {
  done: { code: 0, means: 'done: published, or scheduled where nothing was waited for' },
  broken: { code: 1, means: 'a fault of this command' },
  refused: { code: 2, means: 'refused: what you asked for is not possible as it is' },
  not_logged_in: { code: 3, means: 'not logged in, or the API key may not do this' },
  unreachable: { code: 4, means: 'the server could not be reached; run the same command again' },
  partly: { code: 5, means: 'published on some accounts, failed on others' },
  failed: { code: 6, means: 'failed or cancelled on every account' },
  unconfirmed: { code: 7, means: "unconfirmed: a platform's answer was lost; do not post it again" },
  running: { code: 8, means: 'still going out' },
  held: { code: 9, means: 'something waits for a person' },
} as const
export type Exit = keyof typeof EXITS

/** An end that is not our fault: it is printed without a stack. */
export class Stop extends Error {
  readonly exit: Exit
  /** For programs: the API's code, or the name of the exit. */
  readonly code: string
  /** Messages for fields of the request. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The name of such a field for a person. */
  describeField: (field: string) => string = (field) => field

  constructor(
    exit: Exit,
    message: string,
    more: { code?: string; errors?: Stop['errors']; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.exit = exit
    this.code = more.code ?? exit
    this.errors = more.errors ?? {}
  }
}

type Delivery = Post['deliveries'][number]

/** The part of its way that a delivery is on, for a caller that waits. */
type Phase = 'waiting' | 'moving' | 'live' | 'failed' | 'unconfirmed' | 'held'

function findPhase({ status, cause }: Delivery): Phase {
  switch (status) {
    case 'scheduled':
      return 'waiting'
    case 'preparing':
    case 'committing':
    case 'processing':
      return 'moving'
    case 'published':
    case 'in_inbox':
      return 'live'
    case 'failed':
    case 'cancelled':
      return 'failed'
    case 'unconfirmed':
      return 'unconfirmed'
    case 'blocked':
      // A limit of the platform ends by itself.
      return cause === 'limit' ? 'waiting' : 'held'
  }
}

/** How a post stands now. An unconfirmed delivery comes first: whoever posts again because of another failure would double it. */
export function findExit(post: Pick<Post, 'deliveries'>): Exit | 'scheduled' {
  const phases = post.deliveries.map(findPhase)
  const has = (phase: Phase) => phases.includes(phase)
  if (has('moving') || (has('waiting') && phases.some((phase) => phase !== 'waiting'))) return 'running'
  if (has('waiting')) return 'scheduled'
  if (has('unconfirmed')) return 'unconfirmed'
  if (has('held')) return 'held'
  if (!has('failed')) return 'done'
  return has('live') ? 'partly' : 'failed'
}
