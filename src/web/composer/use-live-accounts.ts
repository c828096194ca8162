import { useQueries, useQuery } from '@tanstack/react-query'
import { type Account, accountOnPlatform } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { AccountId } from '#contract/ids.ts'
import type { Settings } from '#contract/settings.ts'
import { accountOptionsQuery, brandsQuery, postsTodayQuery, settingsQuery } from '#web/api/queries.ts'
import { obstacleOf, type LiveAccount, type Pause } from './readiness.ts'

type Chosen = {
  readonly selected: ReadonlySet<AccountId>
  readonly started: ReadonlyMap<AccountId, DeliveryStatus>
  /** When the post is to go out, ISO 8601; null: not known, so any pause counts. */
  readonly goesOutAt: string | null
}
type Known = Chosen & { readonly settings: Settings | undefined; readonly brands: readonly Brand[] }

/** The accounts without what only their platforms know. */
export function toLiveAccounts(
  accounts: readonly Account[],
  { selected, started, goesOutAt, settings, brands }: Known,
): readonly LiveAccount[] {
  return accounts.map((account) => {
    const platform = settings?.platforms.find(({ id }) => id === account.platform)
    return {
      account,
      selected: selected.has(account.account_id),
      started: started.get(account.account_id) ?? null,
      pause: findPause(
        account,
        brands.find(({ brand_id }) => brand_id === account.brand_id),
        goesOutAt,
      ),
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
export function useLiveAccounts(accounts: readonly Account[], chosen: Chosen): readonly LiveAccount[] {
  const settings = useQuery(settingsQuery)
  const days = useQuery(postsTodayQuery)
  const brands = useQuery(brandsQuery)
  const bare = toLiveAccounts(accounts, {
    ...chosen,
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

/** The pause of the account or of its brand that a post at this time falls into. */
function findPause(account: Account, brand: Brand | undefined, goesOutAt: string | null): Pause | null {
  const isIn = (of: Pick<Brand, 'paused' | 'paused_until'>) =>
    of.paused &&
    (of.paused_until === null || goesOutAt === null || Date.parse(goesOutAt) < Date.parse(of.paused_until))
  if (isIn(account)) {
    const of = { accountId: account.account_id }
    return { of, name: accountOnPlatform(account), until: account.paused_until }
  }
  if (brand === undefined || !isIn(brand)) return null
  return { of: { brandId: brand.brand_id }, name: brand.title, until: brand.paused_until }
}
