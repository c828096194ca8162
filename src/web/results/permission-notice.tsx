import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { accountOnPlatform, hasPermission, type Account } from '#contract/accounts.ts'
import { needsPermissionForAll } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { accountsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { allowResultsWords } from '#web/platforms/allow-results.ts'
import { useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import type { ListConditions } from '#web/platforms/list-conditions.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'

/** More accounts than this are linked again on their own screen. */
const BUTTONS_MAX = 3

/** Says which of the accounts shown have no views here for want of a permission, and offers to link them again. */
export function PermissionNotice({ conditions }: { conditions: ListConditions }) {
  const accounts = useQuery(accountsQuery()).data ?? []
  const silent = accounts.filter(
    (account) =>
      hasPermission(account, 'results') === false &&
      needsPermissionForAll(account.platform) &&
      account.health.status === 'ok' &&
      (conditions.brandId ?? account.brand_id) === account.brand_id &&
      (conditions.platform ?? account.platform) === account.platform &&
      (conditions.accountId ?? account.account_id) === account.account_id,
  )
  if (silent.length === 0) return null
  const [who, it] =
    silent.length === 1 ? ["1 account doesn't", 'it'] : [`${silent.length} accounts don't`, 'them']
  return (
    <InlineAlert tone="note" live={false} actions={<ShowResultsButtons accounts={silent} />}>
      {`${who} show results: link ${it} again to allow it.`}
    </InlineAlert>
  )
}

/** Buttons that link accounts again and ask for their results, or the way to the screen that has them. */
export function ShowResultsButtons({ accounts }: { accounts: readonly Account[] }) {
  if (accounts.length > BUTTONS_MAX)
    return (
      <Button size="xs" variant="default" component={Link} to={PATHS.accounts}>
        Go to accounts
      </Button>
    )
  return accounts.map((account) => <ShowResultsButton key={account.account_id} account={account} />)
}

function ShowResultsButton({ account }: { account: Account }) {
  const again = useLinkAgain(account, account.brand_id, ['results'])
  const label = `${allowResultsWords(account.platform).allow}: ${accountOnPlatform(account)}`
  return (
    <>
      <Button size="xs" variant="default" maw="100%" {...again.button} aria-label={label}>
        {label}
      </Button>
      {again.error && <span role="alert">{messageOf(again.error, TEXTS.unknownError)}</span>}
    </>
  )
}
