import { useQueries, useQuery } from '@tanstack/react-query'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { AccountId } from '#contract/ids.ts'
import type { Settings } from '#contract/settings.ts'
import { accountOptionsQuery, brandsQuery, postsTodayQuery, settingsQuery } from '#web/api/queries.ts'
import { obstacleOf, type LiveAccount } from './readiness.ts'

type Known = {
  readonly selected: ReadonlySet<AccountId>
  readonly started: ReadonlyMap<AccountId, DeliveryStatus>
  readonly settings: Settings | undefined
  readonly brands: readonly Brand[]
}

/** The accounts without what only their platforms know. */
export function toLiveAccounts(
  accounts: readonly Account[],
  { selected, started, settings, brands }: Known,
): readonly LiveAccount[] {
  const pausedBrands = new Set(brands.flatMap(({ paused, brand_id }) => (paused ? [brand_id] : [])))
  return accounts.map((account) => {
    const platform = settings?.platforms.find(({ id }) => id === account.platform)
    return {
      account,
      selected: selected.has(account.account_id),
      started: started.get(account.account_id) ?? null,
      paused: account.paused || pausedBrands.has(account.brand_id),
      isOff: platform?.mode === 'off',
      auditForm: platform?.audit_form ?? false,
      now: null,
      today: null,
      failure: null,
      retry: () => undefined,
    }
  })
}

/** The accounts with what is known of each. A platform is asked about selected accounts only. */
export function useLiveAccounts(
  accounts: readonly Account[],
  selected: ReadonlySet<AccountId>,
  started: ReadonlyMap<AccountId, DeliveryStatus>,
): readonly LiveAccount[] {
  const settings = useQuery(settingsQuery)
  const days = useQuery(postsTodayQuery)
  const brands = useQuery(brandsQuery)
  const bare = toLiveAccounts(accounts, {
    selected,
    started,
    settings: settings.data,
    brands: brands.data ?? [],
  })
  const answers = useQueries({
    queries: bare.map((live) => ({
      ...accountOptionsQuery(live.account.account_id),
      enabled: live.selected && obstacleOf(live) === null,
    })),
  })
  return bare.map((live, at): LiveAccount => {
    const answer = answers[at]
    return {
      ...live,
      now: answer?.data ?? null,
      today:
        answer?.data?.today ??
        days.data?.find(({ account_id }) => account_id === live.account.account_id)?.today ??
        null,
      failure: answer?.error ?? null,
      retry: () => void answer?.refetch(),
    }
  })
}
