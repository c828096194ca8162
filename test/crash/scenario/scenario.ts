import type { PlatformId } from '#contract/platforms/index.ts'

/** A creator of its own on a practice platform, linked as an account. */
export type Account = { readonly platform: PlatformId; readonly creator: string }

/**
 * What is sent to the accounts of a post: one text, each its own, or texts of which several posts and accounts have the same.
 * No account is sent a text twice, so that a live post names its delivery.
 */
export type Captions = 'shared' | 'own' | 'crossed'

/** The text of a post (counted from 0) to an account; null: the shared one. */
export function ownTextOf(scenario: Scenario, post: number, account: number): string | null {
  const { captions, run, accounts, posts } = scenario
  switch (captions) {
    case 'shared':
      return null
    case 'own':
      return `Run ${run}, post ${post} to account ${account}`
    case 'crossed':
      return `Run ${run}, text ${(post + account) % Math.max(accounts.length, posts)}`
  }
}

/** Where in the code or on the wire something happens, the `skip + 1`th time that it comes by. */
export type Moment =
  | { readonly on: 'code'; readonly at: string; readonly skip: number }
  /** The platform has carried the call out and holds its answer back. */
  | { readonly on: 'wire'; readonly platform: PlatformId; readonly call: string; readonly skip: number }

/** What is done to the servers, by the platform or by the user. `account` says to which, counted from 0. */
export type Action =
  /** SIGKILL of the worker; the next one starts after `awayS` seconds of the simulated clock. */
  | { readonly type: 'kill'; readonly awayS: number }
  /** The worker is stopped until its leases are over, another takes its place, and then it wakes up. */
  | { readonly type: 'freeze' }
  | { readonly type: 'kill_web' }
  | { readonly type: 'kill_platforms' }
  | { readonly type: 'cut_database' }
  | { readonly type: 'restart_database' }
  /** The clock of the worker's machine is wrong by so many seconds until the services return. */
  | { readonly type: 'clock_jump'; readonly byS: number }
  | { readonly type: 'second_worker' }
  | { readonly type: 'make_private'; readonly account: number }
  | { readonly type: 'revoke_access'; readonly account: number }
  | {
      readonly type: 'cancel' | 'retry' | 'resend' | 'dismiss' | 'unlink' | 'delete_post'
      readonly account: number
    }
  /** Other words for all posts to the account, as far as they may still be changed. */
  | { readonly type: 'edit'; readonly account: number }

export type ScheduledEvent =
  | { readonly type: 'action'; readonly when: Moment; readonly action: Action }
  | {
      readonly type: 'fault'
      readonly platform: PlatformId
      readonly call: string
      readonly fault: string
      readonly times: number
      readonly after: number
    }

export type Scenario = {
  readonly seed: number
  readonly run: number
  /** `long`: more than TikTok takes in one chunk. */
  readonly video: 'short' | 'long'
  readonly accounts: readonly Account[]
  /** So many posts, each to every account. */
  readonly posts: number
  readonly captions: Captions
  /** Each post to Instagram has a first comment. */
  readonly firstComments: boolean
  /** Each post to TikTok is a draft for the creator's inbox. */
  readonly drafts: boolean
  /** How many of the posts to each account its platform refuses for good, the first ones. */
  readonly refusals: number
  /** What the user does about a failure: `both` presses Retry in one tab and sends it again in another, at the same moment. */
  readonly failures: 'retry' | 'resend' | 'both' | 'dismiss'
  readonly workers: 1 | 2
  readonly events: readonly ScheduledEvent[]
}
