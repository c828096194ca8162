import { Button, Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { accountName, type Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { accountsQuery, brandsQuery, settingsQuery } from '#web/api/queries.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { OPENS_IN_VIEW } from '#web/lib/opens-in-view.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'

type GateProps = { platform: PlatformId; children: (accounts: readonly Account[]) => ReactNode }

/** Shows a platform's form if the platform is set up and an account is linked, or else what is missing. */
export function WithAccounts({ platform, children }: GateProps) {
  const settings = useQuery(settingsQuery)
  const accounts = useQuery(accountsQuery())
  const name = PLATFORM_NAMES[platform]
  const isOff = settings.data?.platforms.find(({ id }) => id === platform)?.mode === 'off'
  if (isOff) {
    return (
      <CenteredMessage
        text={`${name} is not set up on this server.`}
        action={
          <Button variant="default" component={Link} to={`${PATHS.help}#going-live`}>
            How to set it up
          </Button>
        }
      />
    )
  }
  switch (accounts.status) {
    case 'pending':
      return <FieldsSkeleton heights={[36, 96, 88, 36, 36, 56]} />
    case 'error':
      return <QueryError query={accounts}>{messageOf(accounts.error, TEXTS.unknownError)}</QueryError>
    case 'success': {
      const own = accounts.data.filter((account) => account.platform === platform)
      return own.length === 0 ? (
        <CenteredMessage
          text={`No ${name} account is linked yet.`}
          action={
            <Button variant="default" component={Link} to={PATHS.accounts}>
              Go to accounts
            </Button>
          }
        />
      ) : (
        children(own)
      )
    }
  }
}

type Props = {
  accounts: readonly Account[]
  value: number | null
  onChange: (accountId: number) => void
  error?: string | null
  disabled?: boolean
}

/** One of the accounts, grouped by brand. Those that cannot post now are disabled and say why. */
export function AccountSelect({ accounts, value, onChange, error = null, disabled = false }: Props) {
  const brands = useQuery(brandsQuery)
  return (
    <Select
      label="Account"
      placeholder="Choose an account"
      data={groupByBrand(accounts, brands.data ?? [])}
      renderOption={({ option }) => {
        const account = accounts.find(({ account_id }) => String(account_id) === option.value)
        return (
          account && (
            <Group gap="0.5rem" wrap="nowrap">
              <Avatar url={account.avatar_url} name={account.username ?? account.display_name} />
              <span>{option.label}</span>
            </Group>
          )
        )
      }}
      value={value === null ? null : String(value)}
      onChange={(chosen) => chosen !== null && onChange(Number(chosen))}
      disabled={disabled}
      error={error}
      comboboxProps={OPENS_IN_VIEW}
      withAsterisk
      aria-required="true"
    />
  )
}

/** The chosen account if it can post, or the only one that can if none was chosen. */
export function selectedAccount(accounts: readonly Account[], chosen: number | null): Account | null {
  const usable = accounts.filter(canPost)
  const named = usable.find(({ account_id }) => account_id === chosen)
  return named ?? (usable.length === 1 && chosen === null ? (usable[0] ?? null) : null)
}

const canPost = ({ health, can_publish }: Account): boolean => health.status === 'ok' && can_publish

const groupByBrand = (accounts: readonly Account[], brands: readonly Brand[]) =>
  brands.flatMap((brand) => {
    const own = accounts.filter(({ brand_id }) => brand_id === brand.brand_id)
    if (own.length === 0) return []
    const items = own.map((account) => ({
      value: String(account.account_id),
      label: canPost(account) ? accountName(account) : `${accountName(account)} (link again)`,
      disabled: !canPost(account),
    }))
    return [{ group: brand.title, items }]
  })
