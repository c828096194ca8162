import type { Readable } from 'node:stream'
import type { AccountOptions, PlatformId } from '#contract/platforms/index.ts'
import type { Session } from '#domain/delivery/state.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import type { Rate } from '#domain/rate-limit/sliding-window.ts'
import type { Hook } from './hooks.ts'

/**
 * A platform's adapter. Publishing calls are repeatable (`open`, `send`), irreversible (`commit`) or read-only (`check`,
 * `locate`). No method throws for network or platform errors. `test/support/platform-conformance.ts` checks every adapter.
 */
export type Platform = {
  readonly id: PlatformId
  readonly capabilities: Capabilities
  /** What the platform sends us by itself, by the last part of the address to which it does. Nothing depends on its coming. */
  readonly hooks: { readonly [name: string]: Hook }

  /** The consent page, with our state in it. `redirectUri` must be registered at the platform, to the letter. */
  authorizeUrl(request: {
    state: string
    redirectUri: string
    /** Asked for beside the usual ones. */
    extraScopes: readonly string[]
  }): string
  /** Exchanges a code, once: if the answer is lost, the user links again. */
  exchangeCode(request: { code: string; redirectUri: string }): Promise<Result<Grant>>
  /** New tokens for old. May be repeated once with the same tokens when the answer was lost. */
  refresh(tokens: Tokens): Promise<Result<Tokens>>
  /** From when on access is renewed before it is used, ahead of its expiry (epoch ms). */
  refreshDueAt(tokens: Tokens): number
  /** When to renew the access of an account for which nobody posts, so that it does not lapse (epoch ms). */
  idleRefreshAt(tokens: Tokens): number
  /** Best effort: unlinking never waits for it. */
  revoke(tokens: Tokens): Promise<Result<void>>
  profile(grant: AccountAccess & { readonly scopes: readonly string[] }): Promise<Result<Profile>>
  /** What this account may choose now. */
  options(account: AccountAccess): Promise<Result<AccountOptions>>

  /** Read-only: how many posts of a day the account has used; `null`: the platform does not tell before it says no. */
  readonly allowance: ((account: AccountAccess) => Promise<Result<Allowance>>) | null

  /** Absent: the platform lets apps add no comments. */
  readonly firstComment?: FirstComment

  /** Repeatable, with the scopes of `firstComment`; absent: the platform does not let apps do it once a post is live. */
  readonly turnOffComments?: (job: Omit<CommentJob, 'text'>) => Promise<Result<void>>

  /** Repeatable: opens a session. Nothing can become public by this call alone. */
  open(job: PublishJob): Promise<Result<Session>>
  /** Repeatable: brings the video nearer to the platform; resumes from the session. `report` is awaited after every accepted part. */
  send(job: PublishJob, session: Session, report: (progress: Progress) => Promise<void>): Promise<SendOutcome>
  /** Irreversible: makes the post public. Called at most once per saved `committing`. */
  commit(job: PublishJob, session: Session): Promise<CommitOutcome>
  /** Read-only: what became of it. */
  check(job: PublishJob, session: Session): Promise<CheckOutcome>
  /** Read-only, best effort: the address of the live post. */
  locate(job: PublishJob, session: Session | null, postId: string | null): Promise<Result<Location>>
}

export type Capabilities = {
  /** `push`: we send bytes. `pull`: the platform fetches an address of ours. */
  readonly delivery: 'push' | 'pull'
  /** Where bytes are pushed: how long an upload address lives, and the codes that say that it has ended. */
  readonly upload?: { readonly lifeS: number; readonly expired: readonly string[] }
  /** Scopes without which an account cannot be linked, and those without which it cannot publish. */
  readonly scopes: {
    readonly asked: readonly string[]
    readonly toLink: readonly string[]
    readonly toPublish: readonly string[]
  }
  /** What the platform limits for each account: its figures less a reserve. A call that is not named is not limited. */
  readonly rates: { readonly [call in LimitedCall]?: NamedRate }
  /** The first waits, in seconds, between questions whether a post is live; where it has none of its own, the usual. */
  readonly firstChecksS?: readonly number[]
  /** Posts a day for one account where the platform does not tell: what is commonly seen, or nothing known. */
  readonly usualPostsPerDay: number | null
}

/** The first waits for practice platforms, in seconds: they process a post as fast. */
export const PRACTICE_CHECKS_S: readonly number[] = [0.5, 1, 2, 3, 5, 10]

/** The calls whose number may be limited, by what they are for. */
export type LimitedCall = 'open' | 'send' | 'check' | 'locate' | 'options' | 'comment'

/** `words`: the platform's own figure, as a sentence. */
export type NamedRate = Rate & { readonly words: string }

/** Posts of the last 24 hours that count, and how many may; `null`: it was not told. */
export type Allowance = { readonly used: number; readonly total: number | null }

/**
 * How much of an allowance of calls is used up, as a platform tells it beside any answer, also one that succeeds. Percent;
 * `null`: not told.
 */
export type Usage = {
  /** Of all that this server's app may do. */
  readonly appPercent: number | null
  /** Of what may be done for this account. */
  readonly accountPercent: number | null
  /** Until calls for this account are answered again; 0: they are. */
  readonly regainS: number
}

/** Times are epoch milliseconds. Tokens are secrets: encrypted at rest, never logged. */
export type Tokens = {
  readonly accessToken: string
  readonly accessExpiresAt: number
  readonly refreshToken: string | null
  /** After this only the user can renew the access. */
  readonly refreshExpiresAt: number
  readonly issuedAt: number
}

export type Grant = {
  readonly tokens: Tokens
  readonly scopes: readonly string[]
  /** The platform's id of the account where the exchange tells it; `profile` has the last word. */
  readonly externalId: string | null
}

export type AccountAccess = {
  readonly accessToken: string
  readonly externalId: string | null
  readonly onUsage?: OnUsage
}

/** Receives the usage that a platform reports with its answers. */
export type OnUsage = (usage: Usage) => void

/** `externalId` is the key of a linked account, stored to the letter. */
export type Profile = {
  readonly externalId: string
  /** A second id, by which the platform may call the account when it calls us; `null`: it has none. */
  readonly appScopedId: string | null
  /** The handle, without @; `null`: the platform does not tell it. */
  readonly username: string | null
  readonly displayName: string
  readonly avatarUrl: string | null
}

/** All that a publishing call is told. `signal` aborts when the worker's lease is lost or it shuts down. */
export type PublishJob = {
  readonly account: {
    readonly accessToken: string
    readonly externalId: string
    readonly username: string | null
  }
  readonly text: string
  /** Parsed again by the platform with its own schema from the contract. */
  readonly options: { readonly [key: string]: unknown }
  readonly video: VideoSource
  /** A public, unguessable, expiring address of an own picture that the options name; null: it is stored no more. */
  readonly pictureAddress: (pictureId: number) => Promise<string | null>
  /**
   * What of our other deliveries is, or may be, among the account's posts since then (epoch ms). Asked for after the posts
   * were read, so that whatever was found is accounted for.
   */
  readonly siblings: (sinceMs: number) => Promise<Siblings>
  readonly signal: AbortSignal
  readonly onUsage?: OnUsage
}

/** Our other deliveries to the same account at the platform, including those of other users. */
export type Siblings = {
  /** Of those that are live. */
  readonly postIds: readonly string[]
  /** Texts of those that are or may be live under an id that nobody knows. */
  readonly unknown: readonly string[]
}

export type FirstComment = {
  /** What an account must have granted; asked for only where it is wanted. */
  readonly scopes: readonly string[]
  /** Irreversible: public at once. Called at most once per saved `commenting`. */
  comment(job: CommentJob): Promise<CommentOutcome>
  /** Read-only: the account's own comment with this text, made since then (epoch ms); `null`: it is not there. */
  findComment(job: CommentJob, sinceMs: number): Promise<Result<string | null>>
}

export type CommentJob = Pick<PublishJob, 'account' | 'signal' | 'onUsage'> & {
  readonly postId: string
  readonly text: string
}

export type CommentOutcome =
  | { readonly kind: 'commented'; readonly commentId: string }
  /** Definitely not executed and never will be. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The call never left this machine. */
  | { readonly kind: 'unsent'; readonly failure: Failure }
  /** Nobody knows. Anything that is not a definite answer is this. */
  | { readonly kind: 'unanswered'; readonly failure: Failure }

export type VideoSource = {
  readonly size: number
  readonly mime: string
  readonly durationS: number
  /** Bytes `first` to `last`, both included. */
  read(first: number, last: number): Promise<Readable>
  /** A public, unguessable, expiring address of the file, for platforms that pull. */
  address(): Promise<string>
}

export type Progress = { readonly session: Session; readonly sent: number }

export type SendOutcome =
  | { readonly kind: 'ready'; readonly session: Session }
  /** The platform is at work; call `send` again after `afterS`. */
  | { readonly kind: 'wait'; readonly session: Session; readonly sent: number; readonly afterS: number }
  /** `session: null`: it is dead, and nothing of it can become public. */
  | { readonly kind: 'setback'; readonly failure: Failure; readonly session: Session | null }

export type CommitOutcome =
  /** Taken; `check` tells what becomes of it. */
  | { readonly kind: 'accepted'; readonly session: Session }
  | { readonly kind: 'live'; readonly postId: string | null; readonly url: string | null }
  /** Definitely not executed: the platform wants more time. */
  | { readonly kind: 'not_ready'; readonly session: Session; readonly failure: Failure }
  /** Definitely not executed and never will be. `session: null`: the session is dead. */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly session: Session | null }
  /** The call never left this machine: no connection was made, or the video could not be read to its end. */
  | { readonly kind: 'unsent'; readonly failure: Failure }
  /** Nobody knows. Anything that is not a definite answer is this. `session`: where there is something to remember of it. */
  | { readonly kind: 'unanswered'; readonly failure: Failure; readonly session?: Session }

export type CheckOutcome =
  | { readonly kind: 'live'; readonly postId: string | null; readonly url: string | null }
  /** A draft in the inbox of the account's owner, as was asked for. */
  | { readonly kind: 'in_inbox'; readonly session: Session }
  /** The platform has it and works on it. */
  | { readonly kind: 'accepted'; readonly session: Session }
  /** The platform's answer does not tell yet. */
  | { readonly kind: 'pending'; readonly session: Session }
  /** The platform's own word that the irreversible call had no effect, and that the same session may commit again. */
  | { readonly kind: 'uncommitted'; readonly session: Session }
  /** The platform's own word that nothing was or will be published from this session. */
  | { readonly kind: 'rejected'; readonly failure: Failure }
  /** The question failed; it proves nothing. */
  | { readonly kind: 'unreadable'; readonly failure: Failure }

/** `complete`: there is nothing more to find out. */
export type Location = {
  readonly postId: string | null
  readonly url: string | null
  readonly complete: boolean
}
