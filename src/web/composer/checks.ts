import { accountName, type Account } from '#contract/accounts.ts'
import type { AccountId } from '#contract/ids.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import type { SimilarPost } from '#contract/posts.ts'
import type { Video } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { captionFix, findFix, leaveOut, type Fix } from './fixes.ts'
import { errorsIn, findingsFor, sharedErrors, sharingIn, type Judged, type Readiness } from './readiness.ts'
import type { remainingRefusals } from './refusal.ts'
import { accountsWord } from './when.ts'

/** The part of the page in which a check is put right. */
export type Place =
  | { readonly at: 'video' | 'caption' | 'accounts' | 'time' }
  | { readonly at: 'account'; readonly accountId: AccountId }
  /** The options that a platform's accounts share. */
  | { readonly at: 'options'; readonly platform: PlatformId }

/** `stop`: nothing is published before it is done. `refused`: by the server, which may be asked again. `look`: worth knowing. */
export type Check = {
  readonly key: string
  readonly level: 'stop' | 'refused' | 'look'
  /** The account that it is about; null: all, or none. */
  readonly who: string | null
  readonly text: string
  readonly place: Place | null
  readonly fix: Fix | null
}

type Subject = {
  readonly video: Video | null
  /** A file is being fixed or uploaded, so a video will be there. */
  readonly isUploading: boolean
  /** A chosen file waits for its user to say whether it is to be fixed. */
  readonly isAsking: boolean
  /** null: conversion would change nothing. */
  readonly videoFix: FixPlan | null
  readonly judged: readonly Judged[]
  /** The shared caption. */
  readonly text: string
  /** Selected accounts that are not linked any more. */
  readonly gone: readonly AccountId[]
  /** The latest post to each account with the same video or caption, or else one at the same minute. */
  readonly similar: readonly SimilarPost[]
  /** A moment as it reads on this page. */
  readonly momentOf: (at: string) => string
  readonly now: number
  readonly timeProblem: string | null
  readonly timeFix: Fix | null
  /** The server's refusals that concern no single account. */
  readonly refused: ReturnType<typeof remainingRefusals>
}

/** Checks are in the order of the page. */
export function listChecks(subject: Subject): readonly Check[] {
  const selected = subject.judged.filter(({ live }) => live.selected)
  return [
    ...videoChecks(subject, selected),
    ...mergeAlike(accountChecks(subject, selected)),
    ...mergeAlike(repetitions(subject, selected)),
    ...timeChecks(subject),
    ...refusals(subject),
  ]
}

/** What is only worth knowing, and the same of several accounts, is said once. */
function mergeAlike(checks: readonly Check[]): Check[] {
  const groups = Map.groupBy(checks, (check) => (check.level === 'look' ? check.text : check))
  return [...groups.values()].flatMap((alike): Check[] => {
    const [first] = alike
    if (first === undefined || alike.length === 1) return [...alike]
    const accountIds = alike.flatMap(({ fix }) =>
      fix?.does === 'change' && fix.action.type === 'clear' ? fix.action.accountIds : [],
    )
    return [{ ...first, who: accountsWord(alike.length), fix: leaveOut(...accountIds) }]
  })
}

function videoChecks(
  { video, isUploading, isAsking, videoFix }: Subject,
  selected: readonly Judged[],
): Check[] {
  if (video === null)
    return isUploading
      ? []
      : [
          {
            key: 'video',
            level: 'stop',
            who: null,
            text: isAsking ? 'Fix the video, or upload it as it is.' : 'Choose a video.',
            place: { at: 'video' },
            fix: null,
          },
        ]
  const findings = selected.flatMap(({ live }) => findingsFor(live, video))
  const byMessage = new Map(findings.map((finding) => [finding.platform + finding.message, finding]))
  return [...byMessage.values()].map(({ platform, level, code, message, remedy }) => ({
    key: `finding ${platform} ${code}`,
    level: level === 'error' ? ('stop' as const) : ('look' as const),
    who: PLATFORM_NAMES[platform],
    text: `${message} ${remedy}`,
    place: level === 'error' ? { at: 'video' as const } : null,
    fix:
      !isUploading && videoFix?.solved.some((one) => one.platform === platform && one.code === code)
        ? { does: 'fix video' as const, label: 'Fix', plan: videoFix }
        : null,
  }))
}

function accountChecks({ gone, text }: Subject, selected: readonly Judged[]): Check[] {
  if (selected.length === 0 && gone.length === 0)
    return [
      {
        key: 'accounts',
        level: 'stop',
        who: null,
        text: 'Choose at least one account.',
        place: { at: 'accounts' },
        fix: null,
      },
    ]
  const caption = new Set<string>()
  const sharing = [
    ...new Set(
      selected.filter(({ outgoing }) => outgoing.textOf === 'all').map(({ live }) => live.account.platform),
    ),
  ]
  const checks = selected.flatMap((judged): Check[] => {
    const { live, readiness, outgoing } = judged
    const fix = findFix(judged, text)
    const { account } = live
    const key = `account ${account.account_id}`
    const who = nameAmong(account, selected)
    const place: Place = { at: 'account', accountId: account.account_id }
    switch (readiness.kind) {
      case 'started':
      case 'unselected':
      case 'no_video':
      case 'ready':
      case 'loading':
        return []
      case 'relink':
      case 'off':
        return [{ key, level: 'stop', who, text: readiness.why, place, fix }]
      case 'paused':
        return [{ key, level: 'look', who, text: `${readiness.why} Its post waits.`, place: null, fix }]
      case 'held':
        return [{ key, level: 'look', who, text: heldText(readiness), place: null, fix }]
      case 'refused':
        return [{ key, level: 'refused', who, text: readiness.what, place: placeOf(judged, selected), fix }]
      case 'missing':
        if (readiness.where === 'row' || readiness.where === 'platform')
          return [{ key, level: 'stop', who, text: readiness.what, place: placeOf(judged, selected), fix }]
        // The video's findings are listed above; a shared caption is wrong once.
        if (readiness.where === 'video' || caption.has(readiness.what)) return []
        caption.add(readiness.what)
        return [
          {
            key: `caption ${readiness.what}`,
            level: 'stop',
            who: null,
            text: readiness.what,
            ...(outgoing.textOf === 'platform'
              ? { place: { at: 'options', platform: account.platform }, fix: null }
              : { place: { at: 'caption' }, fix: captionFix(text, sharing) }),
          },
        ]
    }
  })
  return gone.length === 0
    ? checks
    : [
        ...checks,
        {
          key: 'gone',
          level: 'stop',
          who: null,
          text:
            gone.length === 1
              ? 'One account is not linked any more.'
              : `${gone.length} accounts are not linked any more.`,
          place: null,
          fix: leaveOut(...gone),
        },
      ]
}

/** A problem of shared options is put right once for all their accounts, any other at the account. */
function placeOf({ live, outgoing }: Judged, selected: readonly Judged[]): Place {
  const { account_id: accountId, platform } = live.account
  const shared = outgoing.hasOwnOptions ? {} : sharedErrors(platform, sharingIn(selected, platform))
  const own = errorsIn(live, outgoing)
  const isShared = Object.entries(own).some(
    ([field, message]) => message !== null && (shared[field] ?? null) === message,
  )
  return isShared ? { at: 'options', platform } : { at: 'account', accountId }
}

/** With the platform where the same name is selected on another one. */
function nameAmong(account: Account, selected: readonly Judged[]): string {
  const name = accountName(account)
  const isShared = selected.filter(({ live }) => accountName(live.account) === name).length > 1
  return isShared ? `${name} (${PLATFORM_NAMES[account.platform]})` : name
}

const SAME: Record<SimilarPost['same'], string> = {
  video: 'The same video',
  text: 'The same caption',
  both: 'The same video and caption',
  time: 'Another post',
}

/** Nothing keeps a repetition from going out: it may be meant. */
const repetitions = ({ similar, momentOf, now }: Subject, selected: readonly Judged[]): Check[] =>
  selected.flatMap(({ live: { account } }): Check[] => {
    const one = similar.find(({ account_id }) => account_id === account.account_id)
    if (!one) return []
    const verb = Date.parse(one.goes_out_at) > now ? 'is scheduled' : 'was sent'
    return [
      {
        key: `similar ${account.account_id}`,
        level: 'look',
        who: nameAmong(account, selected),
        text: `${SAME[one.same]} ${verb} here ${one.same === 'time' ? 'at the same time ' : ''}(${momentOf(one.goes_out_at)}).`,
        place: null,
        fix: leaveOut(account.account_id),
      },
    ]
  })

const heldText = ({ why, until }: Extract<Readiness, { kind: 'held' }>): string =>
  until === null ? why : `${why} Its post waits. Next try: ${until}.`

const timeChecks = ({ timeProblem, timeFix }: Subject): Check[] =>
  timeProblem === null
    ? []
    : [{ key: 'time', level: 'stop', who: null, text: timeProblem, place: { at: 'time' }, fix: timeFix }]

const refusals = ({ refused }: Subject): Check[] =>
  (['caption', 'video', 'time'] as const).flatMap((at): Check[] => {
    const text = refused[at]
    return text === null
      ? []
      : [{ key: `refused ${at}`, level: 'refused', who: null, text, place: { at }, fix: null }]
  })

/** Whether the account keeps the post from going out, so that it may be left out. */
export const isInTheWay = ({ kind }: Readiness): boolean =>
  kind === 'relink' || kind === 'off' || kind === 'missing' || kind === 'refused'
