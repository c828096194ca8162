import { Button, Modal, Stack, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Brand } from '#contract/brands.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { brandsQuery, queryClient } from '#web/api/queries.ts'
import { PATHS } from '#web/lib/paths.ts'
import { CalendarFeeds } from '#web/planning/calendar-feeds.tsx'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { BrandRow } from './brand-row.tsx'
import { BrandNameField, useBrandName } from './brand-name-field.tsx'
import { failureText } from './brand-title.ts'
import classes from './accounts.module.css'

export function BrandsScreen() {
  const brands = useQuery(brandsQuery)
  const [creating, modal] = useDisclosure(false)
  return (
    <>
      <PageHeader
        title={LABELS.brands}
        aside={
          <>
            <Button component={Link} to={PATHS.import} variant="subtle" px="xs">
              Import and export
            </Button>
            {brands.data && <CalendarFeeds brands={brands.data} />}
          </>
        }
        action={
          <Button leftSection={<IconPlus {...ICON} />} onClick={modal.open}>
            {LABELS.newBrand}
          </Button>
        }
      />
      {brands.status === 'pending' && <RowsSkeleton />}
      {brands.status === 'error' && <QueryError query={brands}>{TEXTS.brandsFetchFailed}</QueryError>}
      {/* Earlier data stays when only a refetch failed. */}
      {brands.data &&
        (brands.data.length === 0 ? (
          <CenteredMessage text={TEXTS.brandsEmpty} />
        ) : (
          <BrandTable brands={brands.data} />
        ))}
      <NewBrand opened={creating} onClose={modal.close} />
    </>
  )
}

function BrandTable({ brands }: { brands: readonly Brand[] }) {
  return (
    <Card flush>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{LABELS.brandName}</th>
            <th scope="col" className={classes.count}>
              {LABELS.numberOfAccounts}
            </th>
            <th scope="col" className={classes.actions}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {brands.map((brand) => (
            <BrandRow key={brand.brand_id} brand={brand} />
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function NewBrand({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={LABELS.newBrand}>
      <NewBrandForm onDone={onClose} />
    </Modal>
  )
}

function NewBrandForm({ onDone }: { onDone: () => void }) {
  const create = useMutation({
    mutationFn: (named: string) => call('createBrand', { body: { title: named } }),
    onSuccess: () => {
      onDone()
      return queryClient.invalidateQueries(brandsQuery)
    },
  })
  const { field, submit } = useBrandName('', create)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        {create.error && (
          <InlineAlert title={TEXTS.brandCreateTitle}>
            <div>{failureText(create.error, TEXTS.brandCreateFailed)}</div>
          </InlineAlert>
        )}
        <BrandNameField {...field} label={LABELS.brandName} data-autofocus />
        <Button type="submit" loading={create.isPending}>
          {LABELS.create}
        </Button>
      </Stack>
    </form>
  )
}
