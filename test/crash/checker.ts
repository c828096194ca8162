import type { PlatformId } from '#contract/platforms/index.ts'
import type { InboxDraft, LivePost, PlatformCall } from '../support/test-server.ts'

/** A delivery as Reelay tells of it at the end, and whose post with which words it is. */
export type ReportedDelivery = {
  readonly id: number
  readonly platform: PlatformId
  readonly creator: string
  readonly text: string
  readonly state: string
  /** It was to end in its creator's inbox. */
  readonly isDraft: boolean
  /** The API has told the user that it will not go out. */
  readonly givenUp: boolean
  /** The delivery in whose place its post was made. */
  readonly replaces: number | null
  /** The first comment that it was to have, and what is said of it; null: none. */
  readonly comment: {
    readonly text: string
    /** null: there is no record of it. */
    readonly state: string | null
    /** Its post was deleted here, and with it a comment that was not begun. */
    readonly dropped: boolean
  } | null
}

export type Evidence = {
  readonly reported: readonly ReportedDelivery[]
  /** What the practice platforms say has become live. */
  readonly live: readonly LivePost[]
  /** What they have put into inboxes. */
  readonly drafts: readonly InboxDraft[]
  readonly calls: readonly PlatformCall[]
  readonly sha256: string
  /** Stored files that no row knows. */
  readonly strays: readonly string[]
}

/** What is public under the posts of a delivery against what is said of its first comment. */
function brokenOfComment(
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

/** A draft has no text by which to tell whose it is: for each creator as many are there as deliveries say so. */
function brokenOfDrafts({ reported, drafts, sha256 }: Evidence): string[] {
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

/** What its user sent again must not arrive beside what took its place. */
const brokenOfResends = ({ reported }: Evidence): string[] =>
  reported.flatMap(({ id, replaces, state }) => {
    const before = reported.find((one) => one.id === replaces)
    return before && hasArrived(before.state) && hasArrived(state)
      ? [`delivery ${before.id} is doubled: it arrived beside delivery ${id}, which was sent in its place`]
      : []
  })

/** The laws that were broken, each as a sentence. */
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
      ...brokenOfComment(delivery, posts),
    ].filter((law) => law !== false)
  })
  const strangers = live.filter((post) => !owned.has(post))
  const repeated = calls.filter(({ flag, fault }) => flag === 'published_again' && fault !== 'repeated')
  const leaks = calls.filter(({ flag }) => flag === 'authorization_sent_to_upload_address')
  return [
    ...broken,
    ...brokenOfDrafts(evidence),
    ...brokenOfResends(evidence),
    ...strangers.map(
      (post) => `a post of ${post.account} is live that belongs to no delivery: "${post.text}"`,
    ),
    ...repeated.map(() => 'a container that was live was published once more'),
    ...leaks.map(() => 'an access token was sent to an upload address'),
    ...strays.map((key) => `a file is stored that no row knows: ${key}`),
  ]
}

/** What happened in a run, for the summary. */
export type Counts = {
  deliveries: number
  published: number
  givenUp: number
  /** SIGKILL of any process. */
  kills: number
  /** Answers that were lost, late or wrong. */
  faults: number
  /** Everything else that was done. */
  actions: number
  /** Deliveries that ended only with the user: answered, linked again, tried again. */
  unconfirmed: number
  linkedAgain: number
  triedAgain: number
  /** Failures that their user sent again as newer posts, or dismissed. */
  sentAgain: number
  dismissed: number
  /** First comments that were asked for under live posts, and those that are there. */
  comments: number
  commented: number
  /** Drafts that are in an inbox. */
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
