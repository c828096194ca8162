import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { AccountId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { obstacleOf, type LiveAccount } from '#web/composer/readiness.ts'
import { SetMenu } from '#web/presets/set-menu.tsx'
import { AccountName } from '#web/platforms/account-name.tsx'
import classes from './plan.module.css'

/** From here on a list is searched rather than read. */
const SEARCH_FROM = 12

type Props = {
  brands: readonly Brand[]
  accounts: readonly LiveAccount[]
  /** How many posts go to an account. */
  count: (accountId: AccountId) => number
  /** Of how many. */
  posts: number
  disabled: boolean
  onSelect: (accountIds: readonly AccountId[], on: boolean) => void
  /** Offers the saved sets of accounts; a set replaces what was chosen. */
  hasSets?: boolean
}

/** Accounts by brand, for one post or for all: an account that only some posts go to is marked as such. */
export function PlanAccounts({ brands, accounts, count, posts, disabled, hasSets = false, onSelect }: Props) {
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const groups = brands
    .map((brand) => ({
      brand,
      own: accounts.filter(
        ({ account }) =>
          account.brand_id === brand.brand_id &&
          `${accountName(account)} ${brand.title}`.toLowerCase().includes(words),
      ),
    }))
    .filter(({ own }) => own.length > 0)
  const selectable = accounts
    .filter((live) => obstacleOf(live) === null)
    .map(({ account }) => account.account_id)
  const selected = accounts.map(({ account }) => account.account_id).filter((id) => count(id) > 0)
  return (
    <Stack gap="sm">
      {hasSets && (
        <Group>
          <SetMenu
            selected={selected}
            disabled={disabled}
            onChoose={(ids) => {
              onSelect(
                selected.filter((id) => !ids.includes(id)),
                false,
              )
              onSelect(
                ids.filter((id) => selectable.includes(id)),
                true,
              )
            }}
          />
        </Group>
      )}
      {accounts.length >= SEARCH_FROM && (
        <TextInput
          aria-label="Find an account"
          placeholder="Find an account"
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {groups.map(({ brand, own }) => {
        const able = own.filter((live) => obstacleOf(live) === null).map(({ account }) => account.account_id)
        const isAll = able.length > 0 && able.every((id) => count(id) === posts)
        return (
          <fieldset key={brand.brand_id} aria-label={brand.title} disabled={disabled}>
            <Group gap="0.25rem 0.5rem" mb="0.25rem">
              <Text span fw={600} size="xs">
                <bdi>{brand.title}</bdi>
              </Text>
              {able.length > 1 && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="accent"
                  aria-label={`${isAll ? 'Clear' : 'Select all'}: ${brand.title}`}
                  onClick={() => onSelect(able, !isAll)}
                >
                  {isAll ? 'Clear' : 'Select all'}
                </Button>
              )}
            </Group>
            <div className={classes.accounts}>
              {own.map((live) => {
                const { account } = live
                const chosen = count(account.account_id)
                const obstacle = obstacleOf(live)
                return (
                  <Checkbox
                    key={account.account_id}
                    label={<AccountName of={account} />}
                    aria-label={`${PLATFORM_NAMES[account.platform]} ${accountName(account)}`}
                    title={obstacle?.why}
                    checked={chosen === posts}
                    indeterminate={chosen > 0 && chosen < posts}
                    disabled={obstacle !== null && chosen === 0}
                    onChange={() => onSelect([account.account_id], chosen < posts)}
                  />
                )
              })}
            </div>
          </fieldset>
        )
      })}
      {accounts.length > 0 && groups.length === 0 && (
        <Text c="dimmed" size="xs">
          No account matches.
        </Text>
      )}
    </Stack>
  )
}
