import type { PlatformId } from '#contract/platforms/index.ts'

export type Account = { readonly platform: PlatformId; readonly creator: string }

/**
 * The texts for a post's accounts: one for all, one each, or texts shared by several posts and accounts. No account gets a
 * text twice, so that a live post identifies its delivery.
 */
export type Captions = 'shared' | 'own' | 'crossed'

/** The text of a post (index) for an account; null: the shared one. */
export function findOwnText(scenario: Scenario, post: number, account: number): string | null {
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

/** A point of the code or a call at which something happens, the `skip + 1`th time. */
export type Moment =
  | { readonly on: 'code'; readonly at: string; readonly skip: number }
  /** The platform has executed the call and delays its answer. */
  | { readonly on: 'wire'; readonly platform: PlatformId; readonly call: string; readonly skip: number }

/** An action on the servers, by a platform or by the user. `account` is an index. */
export type Action =
  /** SIGKILL of the worker; the next one starts after `awayS` seconds of the simulated clock. */
  | { readonly type: 'kill'; readonly awayS: number }
  /** The worker is suspended until its leases have expired, another takes its place, and then it wakes up. */
  | { readonly type: 'freeze' }
  | { readonly type: 'kill_web' }
  | { readonly type: 'kill_platforms' }
  | { readonly type: 'cut_database' }
  | { readonly type: 'restart_database' }
  /** The clock of the worker's machine is wrong by this many seconds until the services return. */
  | { readonly type: 'clock_jump'; readonly byS: number }
  | { readonly type: 'second_worker' }
  | { readonly type: 'make_private'; readonly account: number }
  | { readonly type: 'revoke_access'; readonly account: number }
  | {
      readonly type: 'cancel' | 'retry' | 'resend' | 'dismiss' | 'unlink' | 'delete_post'
      readonly account: number
    }
  /** Changes the text of all posts to the account that can still be changed. */
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
  /** `long`: more than one part of an upload. */
  readonly video: 'short' | 'long'
  readonly accounts: readonly Account[]
  /** The number of posts, each to every account. */
  readonly posts: number
  readonly captions: Captions
  /** Each account gets a post this many minutes after the one before it. */
  readonly apartMinutes: number
  /** Each post to a platform that takes them has a first comment. */
  readonly firstComments: boolean
  /** Each post to TikTok is a draft for the creator's inbox. */
  readonly drafts: boolean
  /** The platform refuses this many of the first posts to each account for good. */
  readonly refusals: number
  /** The user's reaction to a failure: `both` presses Retry in one tab and resends in another, at the same moment. */
  readonly failures: 'retry' | 'resend' | 'both' | 'dismiss'
  readonly workers: 1 | 2
  readonly events: readonly ScheduledEvent[]
}
