import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import { IconFilter, IconX } from '@tabler/icons-react'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { accountOnPlatform, type Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import { POST_SEARCH_MAX_CHARS } from '#contract/limits.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { accountsQuery, brandsQuery, type PostConditions } from '#web/api/queries.ts'
import { AccountFilter } from '#web/platforms/account-filter.tsx'
import { BrandSelect } from '#web/ui/brand-select.tsx'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { DayField } from '#web/ui/day-and-time.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { dateOf } from '#web/lib/moments.ts'
import { PATHS } from '#web/lib/paths.ts'
import classes from './posts.module.css'

type Props = { conditions: PostConditions; onChange: (conditions: PostConditions) => void }
type Change = (its: Partial<PostConditions>) => void

/** Searches captions, and narrows the list to a brand, an account, a platform or some days. */
export function ConditionBar({ conditions, onChange }: Props) {
  const change: Change = (its) => onChange({ ...conditions, ...its })
  const [isOpen, setOpen] = useState(false)
  const brands = useQuery(brandsQuery).data ?? []
  const accounts = useQuery(accountsQuery()).data ?? []
  const chosen = chosenOf(conditions, brands, accounts)
  return (
    <Group component="search" gap="xs" mb="sm">
      <CaptionSearch
        value={conditions.search ?? ''}
        onSearch={(search) => change({ search: search || undefined })}
      />
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
            aria-label={chosen.length > 0 ? `Filters: ${chosen.length} chosen` : 'Filters'}
            onClick={() => setOpen(!isOpen)}
          >
            Filters
          </Button>
        }
      >
        <Stack gap="sm">
          <Fields conditions={conditions} change={change} brands={brands} accounts={accounts} />
        </Stack>
      </FieldsPopover>
      {chosen.map(({ name, value, without }) => (
        <button
          key={name}
          type="button"
          className={classes.chosen}
          onClick={() => change(without)}
          aria-label={`Remove the filter ${name}: ${value}`}
        >
          <span>
            {name}: <bdi>{value}</bdi>
          </span>
          <IconX {...ICON} size={14} />
        </button>
      ))}
      <Button component={Link} to={PATHS.import} variant="subtle" px="xs" ml="auto">
        Import and export
      </Button>
    </Group>
  )
}

const TYPING_MS = 300

/** Searches once typing pauses. */
function CaptionSearch({ value, onSearch }: { value: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  const send = useDebouncedCallback((search: string) => {
    sent.current = search.trim()
    onSearch(search.trim())
  }, TYPING_MS)
  useEffect(() => {
    // Changed by something else, such as a link or "Clear filters".
    if (value === sent.current) return
    sent.current = value
    setTyped(value)
  }, [value])
  return (
    <SearchField
      label="Search captions"
      value={typed}
      onChange={(search) => {
        setTyped(search)
        send(search)
      }}
      className={classes.search}
      maxLength={POST_SEARCH_MAX_CHARS}
    />
  )
}

type FieldsProps = {
  conditions: PostConditions
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

type Chosen = { readonly name: string; readonly value: string; readonly without: Partial<PostConditions> }

function chosenOf(
  { brandId, accountId, platform, from, to }: PostConditions,
  brands: readonly Brand[],
  accounts: readonly Account[],
): Chosen[] {
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
