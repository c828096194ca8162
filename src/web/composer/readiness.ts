import type { Account } from '#contract/accounts.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import {
  PLATFORM_NAMES,
  type AccountOptions,
  type PlatformId,
  type PostsToday,
} from '#contract/platforms/index.ts'
import type { Finding, Video } from '#contract/videos.ts'
import { checkText, checkVideo, type AccountLimits } from '#domain/video-check/post-check.ts'
import { refusalOf } from '#web/api/api.ts'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { describeRemainingPosts } from '#web/platforms/kit/remaining-posts-text.ts'
import type { FieldErrors, PanelContext, Validation } from '#web/platforms/kit/panel.ts'
import type { Paused } from '#web/posts/resume-button.tsx'

/** A pause: of what, its name, and its end; null: somebody must resume it. */
export type Pause = { readonly of: Paused; readonly name: string; readonly until: string | null }

/** An account with what its platform says of it now. */
export type LiveAccount = {
  readonly account: Account
  readonly selected: boolean
  /** Of a post that is changed: how far it is here, where it has begun; null: it has not. */
  readonly started: DeliveryStatus | null
  /** The pause of it or of its brand that the post falls into; null: there is none. */
  readonly pause: Pause | null
  /** The platform is not set up on this server. */
  readonly isOff: boolean
  readonly auditForm: boolean
  /** Null: not asked or not answered yet. */
  readonly now: AccountOptions | null
  /** null: not known yet. */
  readonly today: PostsToday | null
  /** Why the platform could not be asked. */
  readonly failure: Error | null
  readonly retry: () => void
}

/** The post as it would go out to an account. */
export type Outgoing = {
  readonly text: string
  /** The owner of the text: this account, all accounts of its platform, or all of the post. */
  readonly textOf: 'account' | 'platform' | 'all'
  readonly options: StoredOptions | null
  /** Whether the options are the account's own, not those that it shares with its platform's others. */
  readonly hasOwnOptions: boolean
  /** How long after the post's time the account gets it. */
  readonly afterMinutes: number
  /** As a draft, without a caption. */
  readonly toInbox: boolean
  readonly video: Video | null
  /** The server's refusals by field. */
  readonly refused: FieldErrors
}

/** Whether an account can be posted to, and what is in the way. */
export type Readiness =
  /** `no_video`: there is none yet to be judged. */
  | { readonly kind: 'unselected' | 'no_video' | 'loading' | 'ready' }
  /** It cannot be chosen: the user links it again, or the operator sets the platform up. */
  | { readonly kind: 'relink' | 'off'; readonly why: string }
  /** The post that is changed has begun or ended here. */
  | { readonly kind: 'started'; readonly why: string; readonly status: DeliveryStatus }
  /** The post is taken, and goes out when the pause ends. */
  | { readonly kind: 'paused'; readonly why: string; readonly pause: Pause }
  /** The post is taken, and goes out when the platform allows it. */
  | { readonly kind: 'held'; readonly why: string; readonly until: string | null }
  /** `platform`: it refuses the account, so nothing in the post can be put right. */
  | {
      readonly kind: 'missing'
      readonly where: 'row' | 'caption' | 'video' | 'platform'
      readonly what: string
    }
  /** By the server; publishing again asks it again. */
  | { readonly kind: 'refused'; readonly what: string }

/** An account, what would go out to it, and what is in the way. */
export type Judged = {
  readonly live: LiveAccount
  readonly readiness: Readiness
  readonly outgoing: Outgoing
}

export const contextOf = (live: LiveAccount, { video, text }: Outgoing): PanelContext => ({
  account: live.account,
  options: live.now,
  auditForm: live.auditForm,
  video: video?.facts ?? null,
  text,
})

export const validate = (live: LiveAccount, outgoing: Outgoing): Validation<StoredOptions> =>
  OPTION_PANELS[live.account.platform].validate(outgoing.options, contextOf(live, outgoing))

/** The messages at an account's own fields. */
export function errorsIn(live: LiveAccount, outgoing: Outgoing): FieldErrors {
  const options = validate(live, outgoing)
  const [text] = checkText(outgoing.text, live.account.platform)
  return {
    ...outgoing.refused,
    ...(options.ok ? {} : options.errors),
    ...(outgoing.textOf === 'account' && text !== undefined && { text }),
  }
}

/** The selected accounts that have the shared options of their platform. */
export const sharingIn = (judged: readonly Judged[], platform: PlatformId): readonly Judged[] =>
  judged.filter(
    ({ live, outgoing }) => live.selected && live.account.platform === platform && !outgoing.hasOwnOptions,
  )

/** Shared options offer what any of the accounts may choose. An account that may not is asked for its own. */
export const sharedContextOf = (platform: PlatformId, accounts: readonly Judged[]): PanelContext => ({
  account: null,
  options: OPTION_PANELS[platform].mergeOptions(accounts.flatMap(({ live }) => live.now ?? [])),
  auditForm: accounts.some(({ live }) => live.auditForm),
  video: accounts[0]?.outgoing.video?.facts ?? null,
  text: (accounts.find(({ outgoing }) => outgoing.textOf !== 'account') ?? accounts[0])?.outgoing.text ?? '',
})

/** The messages at the fields of the options that these accounts share: what is wrong wherever they go. */
export function sharedErrors(platform: PlatformId, sharing: readonly Judged[]): FieldErrors {
  const [first, ...others] = sharing
  if (!first || others.length === 0) return {}
  const options = OPTION_PANELS[platform].validate(first.outgoing.options, sharedContextOf(platform, sharing))
  const refused = Object.entries(first.outgoing.refused).filter(
    ([field, message]) =>
      field !== 'text' && others.every(({ outgoing }) => outgoing.refused[field] === message),
  )
  return { ...Object.fromEntries(refused), ...(options.ok ? {} : options.errors) }
}

/** Why the account cannot be chosen; null: it can. */
export function obstacleOf({
  account,
  isOff,
  started,
}: LiveAccount): Extract<Readiness, { why: string }> | null {
  if (started !== null)
    return { kind: 'started', why: 'Posting to it has started, so it stays as it is.', status: started }
  const name = PLATFORM_NAMES[account.platform]
  if (isOff) return { kind: 'off', why: `${name} is not set up on this server.` }
  if (account.health.status === 'relink') return { kind: 'relink', why: account.health.reason }
  if (!account.can_publish)
    return { kind: 'relink', why: `Posting wasn't allowed on ${name}. Link the account again and allow it.` }
  return null
}

/** @param time formats a moment */
export function readinessOf(live: LiveAccount, outgoing: Outgoing, time: (at: string) => string): Readiness {
  const { account, selected, now, failure } = live
  const obstacle = obstacleOf(live)
  if (obstacle !== null) return obstacle
  if (!selected) return holdOf(live, time) ?? { kind: 'unselected' }
  const [textProblem] = checkText(outgoing.text, account.platform)
  if (textProblem !== undefined)
    return { kind: 'missing', where: outgoing.textOf === 'account' ? 'row' : 'caption', what: textProblem }
  const unsuitable = findingsFor(live, outgoing.video).find(({ level }) => level === 'error')
  if (unsuitable) return { kind: 'missing', where: 'video', what: unsuitable.message }
  if (now === null && OPTION_PANELS[account.platform].needsOptions) {
    if (failure === null) return { kind: 'loading' }
    const refusal = refusalOf(failure)
    return refusal === null
      ? { kind: 'missing', where: 'row', what: "Couldn't load its options" }
      : { kind: 'missing', where: 'platform', what: refusal }
  }
  const options = validate(live, outgoing)
  if (!options.ok) {
    const what = Object.values(options.errors).find((message) => message !== null) ?? 'Check its options'
    return { kind: 'missing', where: 'row', what }
  }
  const refused = Object.values(outgoing.refused).find((message) => message !== null)
  if (refused !== undefined) return { kind: 'refused', what: refused }
  return holdOf(live, time) ?? { kind: outgoing.video === null ? 'no_video' : 'ready' }
}

function holdOf(
  { account, today, pause, failure }: LiveAccount,
  time: (at: string) => string,
): Readiness | null {
  if (pause !== null) {
    const end = pause.until === null ? 'you resume it' : time(pause.until)
    return { kind: 'paused', why: `Posting here is paused until ${end}.`, pause }
  }
  const stopped = today?.stopped ?? null
  if (stopped !== null) return { kind: 'held', why: stopped.message, until: time(stopped.until) }
  const refusal = refusalOf(failure)
  if (refusal !== null) return { kind: 'held', why: refusal, until: null }
  if (today === null) return null
  const left = describeRemainingPosts(today, PLATFORM_NAMES[account.platform], time)
  return left?.isLimitReached === true ? { kind: 'held', why: left.text, until: null } : null
}

/** Findings of the account's platform about the video. */
export function findingsFor(live: LiveAccount, video: Video | null): readonly Finding[] {
  if (video === null) return []
  return checkVideo(video.facts, video.size, live.account.platform, limitsOf(live))
}

export const limitsOf = ({ now }: LiveAccount): AccountLimits =>
  now !== null && 'max_duration_s' in now ? { maxDurationS: now.max_duration_s } : {}
