import type { PlatformId } from '#contract/platforms/index.ts'
import type { LivePost, PlatformCall } from '../support/test-server.ts'

/** A delivery as Reelay tells of it at the end, and whose post with which words it is. */
export type ReportedDelivery = {
  readonly id: number
  readonly platform: PlatformId
  readonly creator: string
  readonly text: string
  readonly state: string
  /** The API has told the user that it will not go out. */
  readonly givenUp: boolean
}

export type Evidence = {
  readonly reported: readonly ReportedDelivery[]
  /** What the practice platforms say has become live. */
  readonly live: readonly LivePost[]
  readonly calls: readonly PlatformCall[]
  readonly sha256: string
  /** Stored files that no row knows. */
  readonly strays: readonly string[]
}

/** The laws that were broken, each as a sentence. */
export function checkOutcome({ reported, live, calls, sha256, strays }: Evidence): string[] {
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
    ].filter((law) => law !== false)
  })
  const strangers = live.filter((post) => !owned.has(post))
  const repeated = calls.filter(({ flag, fault }) => flag === 'published_again' && fault !== 'repeated')
  const leaks = calls.filter(({ flag }) => flag === 'authorization_sent_to_upload_address')
  return [
    ...broken,
    ...strangers.map(
      (post) => `a post of ${post.account} is live that belongs to no delivery: "${post.text}"`,
    ),
    ...repeated.map(() => 'a container that was live was published once more'),
    ...leaks.map(() => 'an access token was sent to an upload address'),
    ...strays.map((key) => `a file is stored that no row knows: ${key}`),
  ]
}
