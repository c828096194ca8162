import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { Api } from '#contract/api/api.ts'
import type { Brand } from '#contract/brands.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import type { AccountId } from '#contract/ids.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import type { Video } from '#contract/videos.ts'
import { planNeededFix, type FixPlan } from '#domain/video-check/fix-plan.ts'
import { accountOptionsQuery, postsTodayQuery, settingsQuery } from '#web/api/queries.ts'
import { listChecks, type Check } from '#web/composer/checks.ts'
import { limitsOf, obstacleOf, type Judged, type LiveAccount } from '#web/composer/readiness.ts'
import { toLiveAccounts } from '#web/composer/use-live-accounts.ts'
import { judge } from '#web/composer/use-judged.ts'
import { findTimeProblem, momentOf } from '#web/composer/when.ts'
import type { PlanRow } from './plan-state.ts'

/** A post of the plan with what is in its way. */
export type CheckedRow = {
  readonly row: PlanRow
  readonly video: Video | null
  readonly judged: readonly Judged[]
  readonly checks: readonly Check[]
  /** The fix without which a platform refuses its video; null: none is needed, or none helps. */
  readonly fix: FixPlan | null
  /** A platform was not asked yet what the account may choose. */
  readonly isLoading: boolean
}

export type PlanFacts = {
  readonly accounts: readonly Account[]
  readonly brands: readonly Brand[]
  readonly schedules: readonly Schedule[]
  readonly zone: string
  readonly now: number
}

/** Every account with what its platform says of it now. A platform is asked only about accounts that some post goes to. */
export function useLive(
  accounts: readonly Account[],
  asked: ReadonlySet<AccountId>,
  brands: readonly Brand[],
) {
  const settings = useQuery(settingsQuery).data
  const days = useQuery(postsTodayQuery).data
  const answers = useQueries({
    queries: accounts.map(({ account_id }) => ({
      ...accountOptionsQuery(account_id),
      enabled: asked.has(account_id),
    })),
    combine,
  })
  return useMemo(() => {
    const bare = toLiveAccounts(accounts, {
      selected: new Set<AccountId>(),
      started: new Map(),
      goesOutAt: null,
      settings,
      brands,
    })
    return bare.map((live, at): LiveAccount => {
      const { account_id: accountId } = live.account
      const answer = obstacleOf(live) === null ? answers[at] : undefined
      return {
        ...live,
        now: answer?.data ?? null,
        today: answer?.data?.today ?? days?.find(({ account_id }) => account_id === accountId)?.today ?? null,
        failure: answer?.error ?? null,
        retry: () => void answer?.refetch(),
      }
    })
  }, [accounts, brands, settings, days, answers])
}

/** Stays the same while no answer changes. */
const combine = (results: UseQueryResult<Reply<Api['getAccountOptions']>>[]) =>
  results.map(({ data, error, refetch }) => ({ data, error, refetch }))

/** Judges a post as the composer does. @param refused what the server refused of it, while it is unchanged */
export function checkRow(
  row: PlanRow,
  live: readonly LiveAccount[],
  { video, isUploading, refused }: { video: Video | null; isUploading: boolean; refused: readonly string[] },
  facts: PlanFacts,
): CheckedRow {
  const { content } = row
  const ids = content.targets.map(({ account_id }) => account_id)
  const chosen = ids.flatMap((id) => live.find(({ account }) => account.account_id === id) ?? [])
  const judged = chosen.map((one) =>
    judge({ ...one, selected: true }, { content, video, refusal: null, zone: facts.zone }),
  )
  const checks = listChecks({
    video,
    isUploading,
    isAsking: false,
    videoFix: null,
    judged,
    text: content.text,
    gone: ids.filter((id) => !live.some(({ account }) => account.account_id === id)),
    similar: [],
    momentOf: String,
    now: facts.now,
    timeProblem: timeProblemOf(content, facts),
    timeFix: null,
    refused: { caption: null, video: null, time: null },
  })
  return {
    row,
    video,
    judged,
    checks: [
      ...checks,
      ...refused.map((text): Check => ({
        key: text,
        level: 'refused',
        who: null,
        text,
        place: null,
        fix: null,
      })),
    ],
    fix: video && planNeededFix(video.facts, video.size, judged.map(toFixTarget)),
    isLoading: judged.some(({ readiness }) => readiness.kind === 'loading'),
  }
}

const toFixTarget = ({ live }: Judged) => ({ platform: live.account.platform, account: limitsOf(live) })

/** Why its time is none; null: it has one. */
function timeProblemOf(
  { publish_at, schedule, targets }: DraftContent,
  { accounts, schedules, now }: PlanFacts,
): string | null {
  if (!schedule) return publish_at === null ? 'Choose when it goes out.' : findTimeProblem(publish_at, now)
  const known = schedules.find(({ schedule_id }) => schedule_id === schedule.schedule_id)
  const ids = new Set(targets.map(({ account_id }) => account_id))
  const brandIds = accounts.filter(({ account_id }) => ids.has(account_id)).map(({ brand_id }) => brand_id)
  if (!known || (brandIds.length > 0 && !brandIds.includes(known.brand_id)))
    return 'Choose a posting schedule of a brand that gets the post.'
  if (schedule.place !== 'slot') return null
  const moment = momentOf(schedule.slot)
  return moment !== null && Date.parse(moment.at) <= now ? 'This slot has passed. Choose a later one.' : null
}

/** "nova: Choose who can see it." */
export const checkText = ({ who, text }: Check): string => (who === null ? text : `${who}: ${text}`)

/** What all posts lack is said once. @returns its sentences */
export function commonChecks(rows: readonly CheckedRow[]): readonly string[] {
  const [first, ...others] = rows
  if (first === undefined || others.length === 0) return []
  return first.checks
    .map(checkText)
    .filter((text) => others.every(({ checks }) => checks.some((check) => checkText(check) === text)))
}

/** Posts whose videos need the same fix. */
export type SharedFix = {
  readonly plan: FixPlan
  readonly rows: readonly { row: CheckedRow; plan: FixPlan }[]
}

export function groupFixes(rows: readonly CheckedRow[]): readonly SharedFix[] {
  const needing = rows.flatMap((row) => (row.fix && row.video ? [{ row, plan: row.fix }] : []))
  const groups = Map.groupBy(needing, ({ plan }) => plan.changes.join())
  return [...groups.values()].flatMap((all) => (all[0] ? [{ plan: all[0].plan, rows: all }] : []))
}
