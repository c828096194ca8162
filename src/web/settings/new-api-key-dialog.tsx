import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { type Account, accountName, accountOnPlatform } from '#contract/accounts.ts'
import { type KeyLimit, NewApiKey } from '#contract/api-keys.ts'
import type { Brand } from '#contract/brands.ts'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { KEY_SCOPES, type KeyScope } from '#contract/http/key-rights.ts'
import { API_KEY_NAME_MAX_CHARS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { accountsQuery, brandsQuery, queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { apiKeysQuery } from './api-key-queries.ts'
import classes from './api-keys.module.css'
import { ShownSecret } from './shown-secret.tsx'

/** Until it is closed, and nowhere else: the secret cannot be read again. */
type Made = { readonly name: string; readonly secret: string; readonly canRead: boolean }

/** Makes a key, then shows its secret once. */
export function NewApiKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null)
  const [isBusy, setBusy] = useState(false)
  return (
    <Modal
      opened
      // A key whose secret nobody has seen would be left over.
      onClose={() => !isBusy && onClose()}
      closeOnClickOutside={made === null}
      title={made === null ? 'New API key' : 'Your new key'}
      size="34rem"
      yOffset="6dvh"
    >
      {made === null ? (
        <NewKeyForm onBusy={setBusy} onMade={setMade} onCancel={onClose} />
      ) : (
        <Secret made={made} onDone={onClose} />
      )}
    </Modal>
  )
}

function Secret({ made: { name, secret, canRead }, onDone }: { made: Made; onDone: () => void }) {
  const example = `curl -H "Authorization: Bearer ${secret}" ${location.origin}${API_PREFIX}/user`
  return (
    <ShownSecret
      label={`Secret of ${name}`}
      secret={secret}
      warning="Copy the secret now: it is shown only once. Keep it like a password, for whoever has it can do what the key may do."
      onDone={onDone}
    >
      {canRead && (
        <div>
          <Group justify="space-between" gap="xs" mb="xs">
            <Text size="xs" fw={600}>
              Try it in a terminal
            </Text>
            <CopyButton text={example} what="the example" />
          </Group>
          <code className={classes.example}>{example}</code>
        </div>
      )}
    </ShownSecret>
  )
}

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

const NEVER = 'never'
const EXPIRY_DAYS = [30, 90, 365] as const
const EXPIRIES = [
  ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: days === 365 ? '1 year' : `${days} days` })),
  { value: NEVER, label: 'No expiry' },
]

type Field = keyof NewApiKey
const FIELDS: readonly Field[] = ['name', 'scopes', 'limited_to', 'expires_in_days']
type Errors = Partial<Record<Field, string>>

/** Errors of a check, in this browser or at the server, by the field that they are about. */
function errorsByField(errors: Iterable<readonly [path: string, message: string]>): Errors {
  const byField: Errors = {}
  for (const [path, message] of errors) {
    const field = FIELDS.find((one) => path === one || path.startsWith(`${one}.`))
    if (field) byField[field] ??= message
  }
  return byField
}

type FormProps = {
  onBusy: (isBusy: boolean) => void
  onMade: (made: Made) => void
  onCancel: () => void
}

function NewKeyForm({ onBusy, onMade, onCancel }: FormProps) {
  const zone = useOwnZone()
  const element = useRef<HTMLFormElement>(null)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>(['read'])
  const [isLimited, setLimited] = useState(false)
  const [limit, setLimit] = useState<KeyLimit>({ brand_ids: [], account_ids: [] })
  const [expiry, setExpiry] = useState('90')
  const [invalid, setInvalid] = useState<Errors>({})
  const days = expiry === NEVER ? null : Number(expiry)
  const create = useMutation({
    // The secret goes past the mutation's own cache, which would keep it for minutes.
    mutationFn: async (body: NewApiKey) => {
      const { key, secret } = await call('createApiKey', { body })
      onMade({ name: key.name, secret, canRead: key.scopes.includes('read') })
    },
    onSettled: () => {
      onBusy(false)
      void queryClient.invalidateQueries(apiKeysQuery)
    },
  })
  const refused = create.error instanceof ApiProblem ? create.error : null
  const errors: Errors = {
    ...errorsByField(Object.entries(refused?.errors ?? {}).map(([path, said]) => [path, said.join(' ')])),
    // Only a brand or an account can be missing.
    ...(refused?.code === 'not_found' && {
      limited_to: 'One of them is gone. Look through your choice, and try again.',
    }),
    ...invalid,
  }
  const change = (...fields: Field[]) => {
    create.reset()
    setInvalid((before) =>
      Object.fromEntries(Object.entries(before).filter(([field]) => !fields.some((one) => one === field))),
    )
  }
  const submit = () => {
    const parsed = NewApiKey.safeParse({
      name,
      scopes,
      ...(isLimited && { limited_to: withoutGone(limit) }),
      expires_in_days: days,
    })
    if (parsed.success) {
      setInvalid({})
      onBusy(true)
      create.mutate(parsed.data)
      return
    }
    const found = errorsByField(parsed.error.issues.map(({ path, message }) => [path.join('.'), message]))
    setInvalid(found)
    const first = FIELDS.find((field) => found[field] !== undefined)
    element.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] input`)?.focus()
  }
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) submit()
      }}
    >
      <Stack>
        <div data-field="name">
          <TextInput
            label="Name"
            description="What uses it, so that you know it again."
            placeholder="Upload script in the office"
            data-autofocus
            autoComplete="off"
            maxLength={API_KEY_NAME_MAX_CHARS}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value)
              change('name')
            }}
            error={errors.name}
          />
        </div>
        <div data-field="scopes">
          <Checkbox.Group
            label="What it may do"
            description="To upload a video and post it, a program needs all three."
            value={scopes}
            onChange={(chosen) => {
              setScopes(chosen)
              change('scopes')
            }}
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
            value={isLimited ? 'some' : 'all'}
            onChange={(chosen) => {
              setLimited(chosen === 'some')
              change('limited_to')
            }}
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
          {isLimited && (
            <div data-field="limited_to">
              <LimitPicker
                limit={limit}
                error={errors.limited_to ?? null}
                onChange={(chosen) => {
                  setLimit(chosen)
                  change('limited_to')
                }}
              />
            </div>
          )}
        </div>
        <NativeSelect
          label="Expires after"
          description={
            days === null
              ? 'It works until you delete it, or change your password.'
              : `It works until ${dateOf(new Date(serverNow() + days * 86_400_000).toISOString(), zone)}.`
          }
          value={expiry}
          onChange={({ currentTarget }) => {
            setExpiry(currentTarget.value)
            change('expires_in_days')
          }}
          data={EXPIRIES}
          error={errors.expires_in_days}
        />
        {create.error && Object.keys(errors).length === 0 && (
          <InlineAlert>
            {messageOf(create.error, TEXTS.unknownError)}
            {isUnanswered(create.error) &&
              ' The key may have been made all the same. If it is in the list, delete it and make another.'}
          </InlineAlert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={create.isPending} onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Make key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What is gone is no longer listed, so nobody could take it out of the choice. */
function withoutGone({ brand_ids, account_ids }: KeyLimit): KeyLimit {
  const brands = queryClient.getQueryData(brandsQuery.queryKey)
  const accounts = queryClient.getQueryData(accountsQuery().queryKey)
  return {
    brand_ids: brand_ids.filter((id) => brands?.some(({ brand_id }) => brand_id === id)),
    account_ids: account_ids.filter((id) => accounts?.some(({ account_id }) => account_id === id)),
  }
}

/** The server may have acted. */
const isUnanswered = (error: Error): boolean =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')

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
