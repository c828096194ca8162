import type { Account } from '#contract/accounts.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Video } from '#contract/videos.ts'
import { useOwnZone } from '#web/ui/zone.tsx'
import { dayAndTime } from '#web/lib/moments.ts'
import { OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { optionsOf, type Target, targetOf, textOf } from './compose-state.ts'
import { type Judged, type LiveAccount, readinessOf, type Outgoing } from './readiness.ts'
import { refusedAt, type Refusal } from './refusal.ts'
import { afterMinutesOf } from './spread.ts'
import { useLiveAccounts } from './use-live-accounts.ts'

/** Every account as it stands, with what would go out to it. */
export function useJudged(
  accounts: readonly Account[],
  {
    content,
    video,
    refusal,
    started,
    goesOutAt,
  }: {
    content: DraftContent
    video: Video | null
    refusal: Refusal | null
    /** Accounts to which a post that is being changed has begun to go out. */
    started: ReadonlyMap<AccountId, DeliveryStatus>
    /** When the post is to go out, ISO 8601. */
    goesOutAt: string
  },
) {
  const zone = useOwnZone()
  const chosen = content.targets.map(({ account_id }) => account_id).filter((id) => !started.has(id))
  const selected = new Set(chosen)
  const listed = useLiveAccounts(accounts, { selected, started, goesOutAt }).map((live) =>
    judge(live, { content, video, refusal, zone }),
  )
  // In the order of the request, in which the server names them.
  const inOrder = chosen.flatMap((id) => listed.find(({ live }) => live.account.account_id === id) ?? [])
  const linked = new Set(accounts.map(({ account_id }) => account_id))
  const gone = chosen.filter((id) => !linked.has(id))
  return { listed, selected: inOrder, gone }
}

type Judging = {
  readonly content: DraftContent
  readonly video: Video | null
  readonly refusal: Refusal | null
  readonly zone: string
}

/** What of a post would go out to an account, and what is in the way. */
export function judge(live: LiveAccount, { content, video, refusal, zone }: Judging): Judged {
  const target = targetOf(content, live.account.account_id)
  const options = optionsOf(content, target, live.account.platform)
  const toInbox = OPTION_PANELS[live.account.platform].toInbox(options)
  const outgoing: Outgoing = {
    text: toInbox ? '' : textOf(content, target, live.account.platform),
    textOf: toInbox ? 'all' : ownerOfText(content, target, live.account.platform),
    options,
    hasOwnOptions: target !== null && target.options !== null,
    afterMinutes: target === null ? 0 : afterMinutesOf(target),
    toInbox,
    video,
    refused: refusedAt(refusal, content, live.account),
  }
  return { live, outgoing, readiness: readinessOf(live, outgoing, (at) => dayAndTime(at, zone)) }
}

function ownerOfText(
  { platform_texts: texts }: DraftContent,
  target: Target | null,
  platform: PlatformId,
): Outgoing['textOf'] {
  if (target !== null && target.text !== null) return 'account'
  return texts?.[platform] === undefined ? 'all' : 'platform'
}
