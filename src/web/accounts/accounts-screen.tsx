import { Box, Button, Modal, NativeSelect, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Settings } from '#contract/settings.ts'
import { LABELS, TEXTS, continueWith } from '#contract/texts.ts'
import { accountsQuery, brandsQuery, settingsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { useNow } from '#web/lib/use-now.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { goToConsent } from '#web/platforms/kit/link-flow.ts'
import { useLivePosts } from '#web/posts/use-live-posts.ts'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { AccountRow } from './account-row.tsx'

export function AccountsScreen() {
  const brands = useQuery(brandsQuery)
  const [search, setSearch] = useSearchParams()
  // In the address, so that a reload keeps the brand.
  const wanted = brandIn(useLocation().state)
  const chosen = Number(search.get('brand') ?? wanted)
  useLivePosts()
  const [adding, modal] = useDisclosure(false)

  const list = brands.data ?? []
  const isAll = search.get('brand') === ALL && list.length > 1
  const brand = list.find((candidate) => candidate.brand_id === chosen) ?? list[0]
  return (
    <>
      <PageHeader
        title={LABELS.accounts}
        action={
          <Button leftSection={<IconPlus {...ICON} />} onClick={modal.open} disabled={!brand}>
            {LABELS.addAccount}
          </Button>
        }
      />
      <Select
        maw="24rem"
        mb="lg"
        label="Brand"
        data={[...brandOptions(list), ...(list.length > 1 ? [{ value: ALL, label: 'All brands' }] : [])]}
        value={isAll ? ALL : brand ? String(brand.brand_id) : null}
        onChange={(value) => setSearch({ brand: value ?? '' }, { replace: true, preventScrollReset: true })}
        disabled={!brand}
        placeholder={brands.status === 'success' ? TEXTS.noBrandsFound : ''}
      />
      {brands.status === 'error' && <QueryError query={brands}>{TEXTS.accountsBrandsFailed}</QueryError>}
      {brands.status === 'pending' && <RowsSkeleton height={68} />}
      {brands.status === 'success' && !brand && (
        <CenteredMessage
          text="Create a brand first, then link its accounts."
          action={
            <Button component={Link} to={PATHS.brands}>
              Go to brands
            </Button>
          }
        />
      )}
      {brand && <AccountList key={isAll ? ALL : brand.brand_id} brand={brand} brands={isAll ? list : null} />}
      {brand && (
        <AddAccount
          key={`add to ${brand.brand_id}`}
          brand={brand}
          brands={isAll ? list : []}
          opened={adding}
          onClose={modal.close}
        />
      )}
    </>
  )
}

/** In the address, in the place of a brand's id. */
const ALL = 'all'

const brandOptions = (brands: readonly Brand[]) =>
  brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title }))

/** The accounts of one brand, or those of all, under the name of each. */
function AccountList({ brand, brands }: { brand: Brand; brands: readonly Brand[] | null }) {
  const accounts = useQuery(accountsQuery(brands === null ? brand.brand_id : undefined))
  switch (accounts.status) {
    case 'pending':
      return <RowsSkeleton height={68} />
    case 'error':
      return <QueryError query={accounts}>{messageOf(accounts.error, TEXTS.unknownError)}</QueryError>
    case 'success':
      return brands === null ? (
        <Rows brand={brand} accounts={accounts.data} />
      ) : (
        <Stack gap="lg">
          {brands.map((one) => (
            <section key={one.brand_id}>
              <Box component="h2" mb="xs">
                <BrandMark {...brandLook(one)} />
                <bdi>{one.title}</bdi>
              </Box>
              <Rows
                brand={one}
                accounts={accounts.data.filter(({ brand_id }) => brand_id === one.brand_id)}
              />
            </section>
          ))}
        </Stack>
      )
  }
}

function Rows({ brand, accounts }: { brand: Brand; accounts: readonly Account[] }) {
  const zone = useZone()
  const now = useNow()
  return accounts.length === 0 ? (
    <CenteredMessage text={`No accounts are linked to ${brand.title} yet.`} />
  ) : (
    <Card flush>
      <ul aria-label={`Accounts of ${brand.title}`}>
        {accounts.map((account) => (
          <AccountRow key={account.account_id} account={account} now={now} zone={zone} />
        ))}
      </ul>
    </Card>
  )
}

/** The brand that another screen passed in the navigation state. */
const brandIn = (state: unknown): number | null =>
  typeof state === 'object' && state !== null && 'brandId' in state && typeof state.brandId === 'number'
    ? state.brandId
    : null

type AddAccountProps = {
  brand: Brand
  /** To choose from; empty: it is for `brand`. */
  brands: readonly Brand[]
  opened: boolean
  onClose: () => void
}

function AddAccount({ brand: first, brands, opened, onClose }: AddAccountProps) {
  const settings = useQuery(settingsQuery)
  const [chosen, setChosen] = useState(first)
  const brand = brands.length > 0 ? chosen : first
  return (
    <Modal opened={opened} onClose={onClose} title={LABELS.addAccount}>
      <Stack>
        {brands.length > 0 && (
          <NativeSelect
            label="Brand"
            data={brandOptions(brands)}
            value={String(brand.brand_id)}
            onChange={({ currentTarget: { value } }) =>
              setChosen(brands.find(({ brand_id }) => String(brand_id) === value) ?? first)
            }
          />
        )}
        <Text c="dimmed" size="xs">
          You'll go to the platform, allow posting and come back. The account is added to{' '}
          <strong dir="auto">{brand.title}</strong>.
        </Text>
        {settings.data?.platforms.map((platform) => (
          <Choice key={platform.id} platform={platform} brand={brand} />
        ))}
      </Stack>
    </Modal>
  )
}

function Choice({ platform, brand }: { platform: Settings['platforms'][number]; brand: Brand }) {
  const go = useMutation({
    mutationFn: () => goToConsent({ platform: platform.id, brandId: brand.brand_id }),
  })
  const { Mark } = PLATFORM_BRANDING[platform.id]
  const about = aboutMode(platform)
  const aboutId = `about-${platform.id}`
  return (
    <Stack gap="0.375rem">
      <Button
        variant="default"
        fullWidth
        // The first enabled one gets the focus when the dialog opens.
        data-autofocus={platform.mode !== 'off' || undefined}
        leftSection={<Mark />}
        disabled={platform.mode === 'off'}
        loading={go.isPending || go.isSuccess}
        onClick={() => go.mutate()}
        aria-describedby={about === null ? undefined : aboutId}
      >
        {continueWith(PLATFORM_NAMES[platform.id])}
      </Button>
      {about !== null && (
        <Text id={aboutId} c="dimmed" size="xs">
          {about}
        </Text>
      )}
      {go.error && <InlineAlert>{messageOf(go.error, TEXTS.unknownError)}</InlineAlert>}
    </Stack>
  )
}

function aboutMode({ mode, id }: Settings['platforms'][number]): string | null {
  const name = PLATFORM_NAMES[id]
  switch (mode) {
    case 'live':
      return null
    case 'practice':
      return `Opens Practice ${name} on this server. Nothing reaches the real ${name}.`
    case 'off':
      return `${name} is not set up on this server.`
  }
}
