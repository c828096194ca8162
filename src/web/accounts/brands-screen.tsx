import { Button, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Brand } from '#contract/brands.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { PATHS } from '#web/lib/paths.ts'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { BrandRow } from './brand-row.tsx'
import classes from './brands.module.css'
import { CalendarFeeds } from '#web/planning/calendar-feeds.tsx'
import { NewBrand } from './new-brand.tsx'

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
          <EmptyState drawing="brands" text={TEXTS.brandsEmpty} />
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
