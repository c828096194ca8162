import type { PlatformId } from '#contract/platforms/index.ts'
import type { InboxDraft, LivePost, PlatformCall } from '../support/test-server.ts'

/** A delivery as Reelay reports it at the end, with its account and text. */
export type ReportedDelivery = {
  readonly id: number
  readonly platform: PlatformId
  readonly creator: string
  readonly text: string
  readonly state: string
  /** The draft was meant for its creator's inbox. */
  readonly isDraft: boolean
  /** The API has told the user that it will not go out. */
  readonly givenUp: boolean
  /** The failed delivery that its post replaces. */
  readonly replaces: number | null
  /** The requested first comment, and its reported state; null: none. */
  readonly comment: {
    readonly text: string
    /** null: there is no record of it. */
    readonly state: string | null
    /** Its post was deleted here, together with a comment that was not begun. */
    readonly dropped: boolean
  } | null
}

export type Evidence = {
  readonly reported: readonly ReportedDelivery[]
  readonly live: readonly LivePost[]
  readonly drafts: readonly InboxDraft[]
  readonly calls: readonly PlatformCall[]
  readonly sha256: string
  /** Stored files without a row. */
  readonly strays: readonly string[]
}

/** Compares the public comments of a delivery's post with its reported first comment. */
function checkComment(
  { id, state, comment }: ReportedDelivery,
  posts: readonly LivePost[],
): (string | false)[] {
  const who = `the first comment of delivery ${id}`
  const found = posts.flatMap(({ comments }) => comments ?? [])
  const own = found.filter(({ text }) => text === comment?.text)
  const strange = found.length > own.length && `${who} is not the only one, or was not asked for`
  if (comment === null) return [strange]
  const isLive = state === 'published'
  return [
    strange,
    own.length > 1 && `${who} is doubled: it is there ${own.length} times`,
    isLive && comment.state === null && !comment.dropped && `${who} is lost: nothing is known of it`,
    comment.state === 'done' && own.length === 0 && `${who} says "done" and is not there`,
    comment.state !== 'done' && own.length > 0 && `${who} is there and says "${comment.state}"`,
    (comment.state === 'waiting' || comment.state === 'commenting') &&
      `${who} still says "${comment.state}" after all services were back`,
  ]
}

/** A draft has no text to identify it, so each creator must have as many as deliveries report. */
function checkDrafts({ reported, drafts, sha256 }: Evidence): string[] {
  const creators = new Set(
    [...reported, ...drafts].map((one) => ('creator' in one ? one.creator : one.account)),
  )
  return [...creators].flatMap((creator) => {
    const own = reported.filter((one) => one.isDraft && one.creator === creator)
    const arrived = own.filter(({ state }) => state === 'in_inbox').length
    const found = drafts.filter(({ account }) => account === creator)
    const states = own.map(({ state }) => `"${state}"`).join(', ')
    return [
      found.length > own.length && `${creator} got ${found.length} drafts of ${own.length}: one is doubled`,
      found.length !== arrived && `${creator} has ${found.length} drafts, and is told ${states}`,
      found.some((draft) => draft.sha256 !== sha256) && `a draft of ${creator} has other bytes`,
    ].filter((law) => law !== false)
  })
}

const hasArrived = (state: string): boolean => state === 'published' || state === 'in_inbox'

/** A resent delivery must not be published beside its replacement. */
const checkResends = ({ reported }: Evidence): string[] =>
  reported.flatMap(({ id, replaces, state }) => {
    const before = reported.find((one) => one.id === replaces)
    return before && hasArrived(before.state) && hasArrived(state)
      ? [`delivery ${before.id} is doubled: it arrived beside delivery ${id}, which was sent in its place`]
      : []
  })

/** The broken laws, a sentence each. */
export function checkOutcome(evidence: Evidence): string[] {
  const { reported, live, calls, sha256, strays } = evidence
  const owned = new Set<LivePost>()
  const broken = reported.flatMap((delivery) => {
    const posts = live.filter(
      ({ platform, account, text }) =>
        platform === delivery.platform && account === delivery.creator && text === delivery.text,
    )
    posts.forEach((post) => owned.add(post))
    const who = `delivery ${delivery.id} to ${delivery.platform}`
    return [
      posts.length > 1 && `${who} is doubled: it is live ${posts.length} times`,
      delivery.state === 'published' && posts.length === 0 && `${who} says "published" and is not live`,
      delivery.state !== 'published' &&
        posts.length > 0 &&
        !delivery.givenUp &&
        `${who} is live and says "${delivery.state}"`,
      delivery.givenUp && posts.length > 0 && `${who} is live though its user was told that it is given up`,
      posts.some((post) => post.sha256 !== sha256) && `${who} is live with other bytes`,
      ...checkComment(delivery, posts),
    ].filter((law) => law !== false)
  })
  const strangers = live.filter((post) => !owned.has(post))
  const repeated = calls.filter(({ flag, fault }) => flag === 'published_again' && fault !== 'repeated')
  const leaks = calls.filter(({ flag }) => flag === 'authorization_sent_to_upload_address')
  return [
    ...broken,
    ...checkDrafts(evidence),
    ...checkResends(evidence),
    ...strangers.map(
      (post) => `a post of ${post.account} is live that belongs to no delivery: "${post.text}"`,
    ),
    ...repeated.map(() => 'a container that was live was published once more'),
    ...leaks.map(() => 'an access token was sent to an upload address'),
    ...strays.map((key) => `a file is stored that no row knows: ${key}`),
  ]
}

export type Counts = {
  deliveries: number
  published: number
  givenUp: number
  /** SIGKILL of any process. */
  kills: number
  /** Lost, late or wrong answers. */
  faults: number
  actions: number
  /** Deliveries that ended only by the user: answered, linked again or retried. */
  unconfirmed: number
  linkedAgain: number
  triedAgain: number
  /** Failures that their user resent as newer posts, or dismissed. */
  sentAgain: number
  dismissed: number
  /** First comments requested for live posts, and those that exist. */
  comments: number
  commented: number
  /** Drafts in an inbox. */
  drafts: number
}
export const noCounts = (): Counts => ({
  deliveries: 0,
  published: 0,
  givenUp: 0,
  kills: 0,
  faults: 0,
  actions: 0,
  unconfirmed: 0,
  linkedAgain: 0,
  triedAgain: 0,
  sentAgain: 0,
  dismissed: 0,
  comments: 0,
  commented: 0,
  drafts: 0,
})
