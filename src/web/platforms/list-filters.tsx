import { Button, NativeSelect, Stack } from '@mantine/core'
import { IconFilter, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountOnPlatform, type Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { accountsQuery, brandsQuery } from '#web/api/queries.ts'
import { dateOf } from '#web/lib/moments.ts'
import { BrandSelect } from '#web/ui/brand-select.tsx'
import { DayField } from '#web/ui/day-and-time.tsx'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { AccountFilter } from './account-filter.tsx'
import type { ListConditions } from './list-conditions.ts'
import classes from './list-filters.module.css'

type Change = (its: Partial<ListConditions>) => void
type Props = { conditions: ListConditions; onChange: Change }

/** A button for the filters of a list of posts, and one for each that is chosen, which removes it. */
export function ListFilters({ conditions, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const brands = useQuery(brandsQuery).data ?? []
  const accounts = useQuery(accountsQuery()).data ?? []
  const active = listActiveFilters(conditions, brands, accounts)
  return (
    <>
      <FieldsPopover
        label="Filters"
        position="bottom-start"
        width={288}
        portalProps={{ target: '#page' }}
        opened={isOpen}
        onChange={setOpen}
        target={
          <Button
            variant="default"
            leftSection={<IconFilter {...ICON} />}
            aria-label={active.length > 0 ? `Filters: ${active.length} chosen` : 'Filters'}
            onClick={() => setOpen(!isOpen)}
          >
            Filters
          </Button>
        }
      >
        <Stack gap="sm">
          <Fields conditions={conditions} change={onChange} brands={brands} accounts={accounts} />
        </Stack>
      </FieldsPopover>
      {active.map(({ name, value, without }) => (
        <button
          key={name}
          type="button"
          className={classes.chosen}
          onClick={() => onChange(without)}
          aria-label={`Remove the filter ${name}: ${value}`}
        >
          <span>
            {name}: <bdi>{value}</bdi>
          </span>
          <IconX {...ICON} size={14} />
        </button>
      ))}
    </>
  )
}

type FieldsProps = {
  conditions: ListConditions
  change: Change
  brands: readonly Brand[]
  accounts: readonly Account[]
}

function Fields({ conditions, change, brands, accounts }: FieldsProps) {
  const { brandId, accountId, platform, from, to } = conditions
  const shown = accounts.filter(
    (account) =>
      (brandId === undefined || account.brand_id === brandId) &&
      (platform === undefined || account.platform === platform),
  )
  return (
    <>
      <BrandSelect
        brands={brands}
        value={brandId}
        onChange={(brand) => change({ brandId: brand, accountId: undefined })}
      />
      <NativeSelect
        label="Platform"
        value={platform ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ platform: PLATFORM_IDS.find((id) => id === value), accountId: undefined })
        }
        data={[
          { value: '', label: 'All platforms' },
          ...PLATFORM_IDS.map((id) => ({ value: id, label: PLATFORM_NAMES[id] })),
        ]}
      />
      <AccountFilter accounts={shown} value={accountId} onChange={(id) => change({ accountId: id })} />
      <DayField
        label="From"
        placeholder="Any day"
        clearable
        value={from ?? null}
        {...(to !== undefined && { maxDate: to })}
        onChange={(day) => change({ from: day ?? undefined })}
      />
      <DayField
        label="To"
        placeholder="Any day"
        clearable
        value={to ?? null}
        {...(from !== undefined && { minDate: from })}
        onChange={(day) => change({ to: day ?? undefined })}
      />
    </>
  )
}

type ActiveFilter = {
  readonly name: string
  readonly value: string
  readonly without: Partial<ListConditions>
}

function listActiveFilters(
  { brandId, accountId, platform, from, to }: ListConditions,
  brands: readonly Brand[],
  accounts: readonly Account[],
): ActiveFilter[] {
  const brand = brands.find(({ brand_id }) => brand_id === brandId)
  const account = accounts.find(({ account_id }) => account_id === accountId)
  return [
    brandId !== undefined && { name: 'Brand', value: brand?.title ?? '…', without: { brandId: undefined } },
    platform !== undefined && {
      name: 'Platform',
      value: PLATFORM_NAMES[platform],
      without: { platform: undefined },
    },
    accountId !== undefined && {
      name: 'Account',
      value: account ? accountOnPlatform(account) : 'an unlinked account',
      without: { accountId: undefined },
    },
    from !== undefined && { name: 'From', value: dateOf(from, 'UTC'), without: { from: undefined } },
    to !== undefined && { name: 'To', value: dateOf(to, 'UTC'), without: { to: undefined } },
  ].filter((one) => one !== false)
}
