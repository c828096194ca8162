import { ActionIcon, Checkbox, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Account, accountName, accountOnPlatform } from '#contract/accounts.ts'
import type { KeyLimit } from '#contract/api-keys.ts'
import type { Brand } from '#contract/brands.ts'
import { KEY_SCOPES, type KeyScope } from '#contract/http/key-rights.ts'
import { TEXTS } from '#contract/texts.ts'
import { accountsQuery, brandsQuery, queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import classes from './api-keys.module.css'

/** What a key may do, and with which brands and accounts. */
export type KeyRights = {
  readonly scopes: readonly string[]
  readonly isLimited: boolean
  /** Kept while it is not limited, so that no choice is lost. */
  readonly limit: KeyLimit
}

/** Converts what the form holds to what a call sends. */
export const toRequestRights = ({ scopes, isLimited, limit }: KeyRights) => ({
  scopes,
  ...(isLimited && { limited_to: withoutGone(limit) }),
})

const SCOPE_TEXTS: Readonly<Record<KeyScope, { label: string; about: string }>> = {
  read: { label: 'See', about: 'Read brands, accounts, posts, videos and results.' },
  write: {
    label: 'Change',
    about:
      'Upload videos; edit and delete videos, drafts, brands and schedules; unlink accounts; cancel posts.',
  },
  publish: {
    label: 'Publish',
    about: 'Make posts, change their text and time, try again, pause and resume.',
  },
}

type FieldsProps = {
  rights: KeyRights
  errors: { readonly scopes?: string | undefined; readonly limited_to?: string | undefined }
  onChange: (rights: KeyRights, field: 'scopes' | 'limited_to') => void
}

export function KeyRightsFields({ rights, errors, onChange }: FieldsProps) {
  return (
    <>
      <div data-field="scopes">
        <Checkbox.Group
          label="What it may do"
          description="To upload a video and post it, a program needs all three."
          value={[...rights.scopes]}
          onChange={(scopes) => onChange({ ...rights, scopes }, 'scopes')}
          error={errors.scopes}
        >
          <Stack gap="xs" mt="xs">
            {KEY_SCOPES.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={SCOPE_TEXTS[scope].label}
                description={SCOPE_TEXTS[scope].about}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </div>
      <div data-field="reach">
        <Radio.Group
          label="What it reaches"
          value={rights.isLimited ? 'some' : 'all'}
          onChange={(chosen) => onChange({ ...rights, isLimited: chosen === 'some' }, 'limited_to')}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="all"
              label="Everything"
              description="All brands and accounts, and those that you add later."
            />
            <Radio
              value="some"
              label="Only some brands or accounts"
              description="Their posts and videos, but no drafts, calendar or reports. A whole brand includes accounts that you add to it later."
            />
          </Stack>
        </Radio.Group>
        {rights.isLimited && (
          <div data-field="limited_to">
            <LimitPicker
              limit={rights.limit}
              error={errors.limited_to ?? null}
              onChange={(limit) => onChange({ ...rights, limit }, 'limited_to')}
            />
          </div>
        )}
      </div>
    </>
  )
}

/** Leaves out brands and accounts that are gone: they are no longer listed, so nobody could untick them. */
function withoutGone({ brand_ids, account_ids }: KeyLimit): KeyLimit {
  const brands = queryClient.getQueryData(brandsQuery.queryKey)
  const accounts = queryClient.getQueryData(accountsQuery().queryKey)
  return {
    brand_ids: brand_ids.filter((id) => brands?.some(({ brand_id }) => brand_id === id)),
    account_ids: account_ids.filter((id) => accounts?.some(({ account_id }) => account_id === id)),
  }
}

/** From here on a list is searched rather than read, and its brands fold. */
const SEARCH_FROM = 12

type PickerProps = { limit: KeyLimit; error: string | null; onChange: (limit: KeyLimit) => void }

/** Whole brands, with the accounts that they get later, or single accounts. */
function LimitPicker(props: PickerProps) {
  const { error } = props
  const brands = useQuery(brandsQuery)
  const accounts = useQuery(accountsQuery())
  const failed = [brands, accounts].find((query) => query.isLoadingError)
  return (
    <Stack gap="xs" mt="sm">
      {failed?.error ? (
        <QueryError query={failed}>{messageOf(failed.error, TEXTS.unknownError)}</QueryError>
      ) : brands.data && accounts.data ? (
        <BrandsAndAccounts {...props} brands={brands.data} accounts={accounts.data} />
      ) : (
        <FieldsSkeleton heights={[120]} />
      )}
      {error !== null && (
        <Text id={LIMIT_ERROR} role="alert" size="xs" c="var(--r-failed)">
          {error}
        </Text>
      )}
    </Stack>
  )
}

const LIMIT_ERROR = 'api-key-limit-error'

type ListProps = PickerProps & { brands: readonly Brand[]; accounts: readonly Account[] }

function BrandsAndAccounts({ limit, error, onChange, brands, accounts }: ListProps) {
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const found = brands
    .map((brand) => {
      const own = accounts.filter(({ brand_id }) => brand_id === brand.brand_id)
      const isFound = (account: Account) =>
        `${accountName(account)} ${brand.title}`.toLowerCase().includes(words)
      return { brand, own, shown: own.filter(isFound) }
    })
    .filter(({ brand, shown }) => shown.length > 0 || brand.title.toLowerCase().includes(words))
  const isLong = accounts.length >= SEARCH_FROM
  if (brands.length === 0)
    return (
      <Text c="dimmed" size="xs">
        You have no brands yet.
      </Text>
    )
  return (
    <>
      {isLong && (
        <TextInput
          type="search"
          aria-label="Find a brand or an account"
          placeholder="Find a brand or an account"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul
        className={classes.picker}
        aria-label="Brands and accounts"
        data-error={error !== null || undefined}
      >
        {found.map(({ brand, own, shown }) => (
          <BrandChoice
            key={brand.brand_id}
            brand={brand}
            own={own}
            shown={shown}
            canFold={isLong && words === ''}
            limit={limit}
            error={error}
            onChange={onChange}
          />
        ))}
        {found.length === 0 && <li className={classes.pickerBrand}>Nothing is called that.</li>}
      </ul>
    </>
  )
}

type ChoiceProps = PickerProps & {
  brand: Brand
  own: readonly Account[]
  /** Those of its accounts that a search leaves. */
  shown: readonly Account[]
  canFold: boolean
}

function BrandChoice({ brand, own, shown, canFold, limit, error, onChange }: ChoiceProps) {
  const [isWanted, setWanted] = useState(false)
  const { brand_ids, account_ids } = limit
  const isWhole = brand_ids.includes(brand.brand_id)
  const chosen = own.filter(({ account_id }) => account_ids.includes(account_id))
  const isUnfolded = !canFold || isWanted
  const listId = `key-accounts-of-brand-${brand.brand_id}`
  const aria = error === null ? {} : { 'aria-invalid': true, 'aria-describedby': LIMIT_ERROR }
  const chooseBrand = () =>
    onChange(
      isWhole
        ? { ...limit, brand_ids: brand_ids.filter((id) => id !== brand.brand_id) }
        : {
            brand_ids: [...brand_ids, brand.brand_id],
            account_ids: account_ids.filter((id) => !own.some(({ account_id }) => account_id === id)),
          },
    )
  const chooseAccount = ({ account_id }: Account) =>
    onChange({
      ...limit,
      account_ids: account_ids.includes(account_id)
        ? account_ids.filter((id) => id !== account_id)
        : [...account_ids, account_id],
    })
  return (
    <li>
      <Group gap="xs" wrap="nowrap" className={classes.pickerBrand}>
        <Checkbox
          flex={1}
          miw={0}
          label={<BrandLabel brand={brand} />}
          aria-label={`${brand.title}, all its accounts`}
          checked={isWhole}
          indeterminate={!isWhole && chosen.length > 0}
          onChange={chooseBrand}
          {...aria}
        />
        <Text span c="dimmed" size="xs" flex="none">
          {isWhole ? 'all' : chosen.length > 0 ? `${chosen.length} of ${own.length}` : ''}
        </Text>
        {canFold && own.length > 0 && (
          <ActionIcon
            className={classes.unfold ?? ''}
            aria-label={`Accounts of ${brand.title}`}
            aria-expanded={isUnfolded}
            aria-controls={listId}
            onClick={() => setWanted(!isWanted)}
          >
            <IconChevronDown {...ICON} />
          </ActionIcon>
        )}
      </Group>
      <ul id={listId} aria-label={`Accounts of ${brand.title}`} hidden={!isUnfolded || shown.length === 0}>
        {isUnfolded &&
          shown.map((account) => (
            <li key={account.account_id} className={classes.pickerAccount}>
              <Checkbox
                label={<AccountName of={account} />}
                aria-label={accountOnPlatform(account)}
                checked={isWhole || account_ids.includes(account.account_id)}
                disabled={isWhole}
                onChange={() => chooseAccount(account)}
                {...aria}
              />
            </li>
          ))}
      </ul>
    </li>
  )
}

const BrandLabel = ({ brand }: { brand: Brand }): ReactNode => (
  <span className={classes.brandName}>
    <BrandMark {...brandLook(brand)} />
    <bdi>{brand.title}</bdi>
  </span>
)
