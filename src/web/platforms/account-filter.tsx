import { Select } from '@mantine/core'
import { type Account, accountOnPlatform } from '#contract/accounts.ts'
import type { AccountId } from '#contract/ids.ts'
import { AccountAvatar, AccountName } from './account-name.tsx'

/** From here on a list is searched rather than read. */
const SEARCH_FROM = 12

type Props = {
  accounts: readonly Account[]
  /** undefined: all of them. */
  value: AccountId | undefined
  onChange: (accountId: AccountId | undefined) => void
}

/** Narrows a list to one of the accounts. */
export function AccountFilter({ accounts, value, onChange }: Props) {
  const find = (id: string | null) => accounts.find(({ account_id }) => String(account_id) === id)
  const chosen = accounts.find(({ account_id }) => account_id === value)
  return (
    <Select
      label="Account"
      placeholder="All accounts"
      clearable
      clearButtonProps={{ 'aria-label': 'All accounts' }}
      searchable={accounts.length >= SEARCH_FROM}
      nothingFoundMessage="No account is called that."
      {...(chosen && { leftSection: <AccountAvatar of={chosen} /> })}
      data={accounts.map((account) => ({
        value: String(account.account_id),
        label: accountOnPlatform(account),
      }))}
      renderOption={({ option }) => {
        const account = find(option.value)
        return account && <AccountName of={account} />
      }}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(find(id)?.account_id)}
    />
  )
}
