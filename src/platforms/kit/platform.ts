import type { Readable } from 'node:stream'
import type { AccountOptions, PlatformId } from '#contract/platforms/index.ts'
import type { Session } from '#domain/delivery/state.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import type { Numbers } from '#domain/results/reading.ts'
import type { Rate } from '#domain/rate-limit/sliding-window.ts'
import type { Hook } from './webhooks.ts'

/**
 * A platform's adapter. Publishing calls are repeatable (`open`, `send`), irreversible (`commit`) or read-only (`check`,
 * `locate`). No method throws for network or platform errors. `test/support/platform-conformance.ts` checks every adapter.
 */
export type Platform = {
  readonly id: PlatformId
  readonly capabilities: Capabilities
  /** Webhooks, by the last part of their address. They are a shortcut: nothing depends on them. */
  readonly hooks: { readonly [name: string]: Hook }

  /**
   * The consent page with our state. `redirectUri` must be registered at the platform, character by character. `codeVerifier` (RFC 7636)
   * is the secret of this attempt, for platforms that take its hash here and itself with the code.
   */
  authorizeUrl(request: {
    state: string
    redirectUri: string
    extraScopes: readonly string[]
    codeVerifier: string
  }): string
  /** Exchanges a code once: if the answer is lost, the user links again. */
  exchangeCode(request: { code: string; redirectUri: string; codeVerifier: string }): Promise<Result<Grant>>
  /** Exchanges tokens for new ones. May be repeated once with the same tokens if the answer was lost. */
  refresh(tokens: Tokens): Promise<Result<Tokens>>
  /** The time (epoch ms) from which access is renewed before use, ahead of its expiry. */
  refreshDueAt(tokens: Tokens): number
  /** The time (epoch ms) at which an idle account's access is renewed, so that it does not lapse. */
  idleRefreshAt(tokens: Tokens): number
  /** Ends the grant, and every other one of the same `Grant.ownerId`. */
  revoke(tokens: Tokens): Promise<Result<void>>
  profile(grant: AccountAccess & { readonly scopes: readonly string[] }): Promise<Result<Profile>>
  options(account: AccountAccess): Promise<Result<AccountOptions>>

  /** Read-only: the account's posts that count today; `null`: the platform does not tell in advance. */
  readonly allowance: ((account: AccountAccess) => Promise<Result<Allowance>>) | null

  /** Absent: the platform lets apps add no comments. */
  readonly firstComment?: FirstComment

  /** Repeatable; needs the scopes of `firstComment`. Absent: the platform does not offer it for live posts. */
  readonly turnOffComments?: (job: Omit<CommentJob, 'text'>) => Promise<Result<void>>

  /** Repeatable: sets the own picture of a live post. Absent: it goes with the post, or there is none. */
  readonly setCover?: (job: CoverJob) => Promise<Result<void>>

  /** Read-only: whether a live post is as it was asked for. Absent: the platform changes nothing that it accepted. */
  readonly inspect?: (job: InspectJob) => Promise<Result<Standing>>

  /** Read-only: the numbers of live posts. Nothing else depends on them. */
  readonly results: Results

  /** Repeatable: opens a session. Nothing can become public by this call alone. */
  open(job: PublishJob): Promise<Result<Session>>
  /** Repeatable: brings the video nearer to the platform and resumes from the session. `report` is awaited after every accepted part. */
  send(job: PublishJob, session: Session, report: (progress: Progress) => Promise<void>): Promise<SendOutcome>
  /** Irreversible: makes the post public. Called at most once per saved `committing`. */
  commit(job: PublishJob, session: Session): Promise<CommitOutcome>
  /** Read-only: finds the outcome of the commit. */
  check(job: PublishJob, session: Session): Promise<CheckOutcome>
  /** Read-only, best effort: the address of the live post. */
  locate(job: PublishJob, session: Session | null, postId: string | null): Promise<Result<Location>>
}

export type Capabilities = {
  /** `push`: we send bytes. `pull`: the platform fetches an address of ours. */
  readonly delivery: 'push' | 'pull'
  /** For push: how long an upload address lives, and the codes that say it expired. */
  readonly upload?: { readonly lifeS: number; readonly expired: readonly string[] }
  /** Scopes required to link an account, and those required to publish. */
  readonly scopes: {
    readonly asked: readonly string[]
    readonly toLink: readonly string[]
    readonly toPublish: readonly string[]
    /** The words beside each box of the consent page, by scope, where people untick them one by one. */
    readonly boxes?: Readonly<Record<string, string>>
  }
  /** The platform's limits per account, less a reserve. Calls not named are unlimited. */
  readonly rates: { readonly [call in LimitedCall]?: NamedRate }
  /** The first waits, in seconds, between checks whether a post is live; the default applies otherwise. */
  readonly firstChecksS?: readonly number[]
  /** The posts per day commonly allowed where the platform does not tell; `null`: unknown. */
  readonly usualPostsPerDay: number | null
}

/** The first waits for practice platforms in seconds: they process posts quickly. */
export const PRACTICE_CHECKS_S: readonly number[] = [0.5, 1, 2, 3, 5, 10]

export type LimitedCall = 'open' | 'send' | 'check' | 'locate' | 'options' | 'comment' | 'results'

export type NamedRate = Rate & { readonly words: string }

/** Posts of the last 24 hours that count, and how many are allowed; `null`: not told. */
export type Allowance = { readonly used: number; readonly total: number | null }

/** The used part of a call allowance, in percent, as reported with any answer; `null`: not reported. */
export type Usage = {
  readonly appPercent: number | null
  readonly accountPercent: number | null
  /** Seconds until calls for this account are answered again; 0: now. */
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
  /** The account's id at the platform, if the exchange tells it; `profile` is authoritative. */
  readonly externalId: string | null
  /** The login that gave the grant, where one login has several accounts and `revoke` ends the grants of all. */
  readonly ownerId?: string | null
}

export type AccountAccess = {
  readonly accessToken: string
  readonly externalId: string | null
  readonly onUsage?: OnUsage
}

export type OnUsage = (usage: Usage) => void

/** `externalId` is the key of a linked account, stored unchanged. */
export type Profile = {
  readonly externalId: string
  /** A second id that the platform may use in webhooks; `null`: it has none. */
  readonly appScopedId: string | null
  /** The handle without @; `null`: the platform does not tell it. */
  readonly username: string | null
  readonly displayName: string
  readonly avatarUrl: string | null
}

/** `signal` aborts when the worker's lease is lost or the worker shuts down. */
export type PublishJob = {
  readonly account: {
    readonly accessToken: string
    readonly externalId: string
    readonly username: string | null
  }
  readonly text: string
  readonly options: { readonly [key: string]: unknown }
  readonly video: VideoSource
  /** A public, unguessable, expiring address of a cover picture named in the options; null: it was deleted. */
  readonly pictureAddress: (pictureId: number) => Promise<string | null>
  /**
   * Our other deliveries that are, or may be, among the account's posts since then (epoch ms). Call it after reading the posts, so that
   * everything found is accounted for.
   */
  readonly siblings: (sinceMs: number) => Promise<Siblings>
  readonly signal: AbortSignal
  readonly onUsage?: OnUsage
}

/** Our other deliveries to the same platform account, also of other users. */
export type Siblings = {
  readonly postIds: readonly string[]
  /** Texts of those that are, or may be, live with an unknown id. */
  readonly unknown: readonly string[]
}

export type FirstComment = {
  readonly scopes: readonly string[]
  /** Irreversible: public at once. Called at most once per saved `commenting`. */
  comment(job: CommentJob): Promise<CommentOutcome>
  /** Read-only: the id of the account's own comment with this text, made since then (epoch ms); `null`: none. */
  findComment(job: CommentJob, sinceMs: number): Promise<Result<string | null>>
}

export type CommentJob = Pick<PublishJob, 'account' | 'signal' | 'onUsage'> & {
  readonly postId: string
  readonly text: string
}

/** `read` gives the whole picture, at most `PICTURE_MAX_BYTES`, or why the storage cannot. */
export type CoverJob = Omit<CommentJob, 'text'> & {
  readonly picture: { readonly mime: string; readonly read: () => Promise<Result<Uint8Array<ArrayBuffer>>> }
}

/** `looks`: how often it was as asked already. Since the first time its owner may have changed it. `tries`: failed looks since. */
export type InspectJob = Omit<CommentJob, 'text'> &
  Pick<PublishJob, 'options'> & { readonly looks: number; readonly tries: number }

/** `reason`: what is different, and what can be done. */
export type Standing =
  | { readonly kind: 'as_asked' }
  | { readonly kind: 'differs'; readonly reason: Failure['reason'] }

export type CommentOutcome =
  | { readonly kind: 'commented'; readonly commentId: string }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The call never left this machine. */
  | { readonly kind: 'unsent'; readonly failure: Failure }
  /** Unknown: anything but a definite answer. */
  | { readonly kind: 'unanswered'; readonly failure: Failure }

export type Results = {
  /** Scopes beyond those that posting needs; empty if some numbers are read without them. */
  readonly scopes: readonly string[]
  /** The most posts of one call. */
  readonly idsPerCall: number
  read(job: ResultsJob): Promise<ResultsOutcome>
}

/** `scopes`: those that the account has granted. */
export type ResultsJob = Omit<CommentJob, 'text' | 'postId'> & {
  readonly postIds: readonly string[]
  readonly scopes: readonly string[]
}

export type ResultsOutcome =
  /** By id. A post that is not among them is not shown: deleted, private or under review. A metric that is missing was not told. */
  | {
      readonly kind: 'read'
      readonly posts: ReadonlyMap<string, Numbers>
      /** Why some metrics could not be read. `lostScopes`: those that the account turned out to lack. */
      readonly withheld?: { readonly failure: Failure; readonly lostScopes: readonly string[] }
    }
  /** The account has not granted the permission, or took it away. */
  | { readonly kind: 'not_allowed'; readonly failure: Failure }
  | { readonly kind: 'unreadable'; readonly failure: Failure }

export type VideoSource = {
  readonly size: number
  readonly mime: string
  readonly durationS: number
  /** Bytes `first` to `last`, inclusive. */
  read(first: number, last: number): Promise<Readable>
  address(): Promise<string>
}

export type Progress = { readonly session: Session; readonly sent: number }

export type SendOutcome =
  | { readonly kind: 'ready'; readonly session: Session }
  | { readonly kind: 'wait'; readonly session: Session; readonly sent: number; readonly afterS: number }
  /** `session: null`: the session is dead, and nothing of it can become public. */
  | { readonly kind: 'setback'; readonly failure: Failure; readonly session: Session | null }

export type CommitOutcome =
  /** The platform accepted the post; `check` finds the outcome. */
  | { readonly kind: 'accepted'; readonly session: Session }
  | { readonly kind: 'live'; readonly postId: string | null; readonly url: string | null }
  /** Definitely not executed: the platform needs more time. */
  | { readonly kind: 'not_ready'; readonly session: Session; readonly failure: Failure }
  /** Definitely not executed and never will be. `session: null`: the session is dead. */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly session: Session | null }
  /** The call never left this machine: no connection was made, or the video could not be read to its end. */
  | { readonly kind: 'unsent'; readonly failure: Failure }
  /** Unknown: anything but a definite answer. `session`: set if something must be remembered. */
  | { readonly kind: 'unanswered'; readonly failure: Failure; readonly session?: Session }

export type CheckOutcome =
  | { readonly kind: 'live'; readonly postId: string | null; readonly url: string | null }
  /** The draft is in the inbox of the account's owner, as requested. */
  | { readonly kind: 'in_inbox'; readonly session: Session }
  | { readonly kind: 'accepted'; readonly session: Session }
  | { readonly kind: 'pending'; readonly session: Session }
  /** The platform states that the irreversible call had no effect and that the same session may commit again. */
  | { readonly kind: 'uncommitted'; readonly session: Session }
  /** The platform states that nothing was or will be published from this session. */
  | { readonly kind: 'rejected'; readonly failure: Failure }
  | { readonly kind: 'unreadable'; readonly failure: Failure }

/** `complete`: there is nothing more to find out. */
export type Location = {
  readonly postId: string | null
  readonly url: string | null
  readonly complete: boolean
}
