import { Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { CalendarStatus } from '#contract/planning/calendar.ts'
import { accountsQuery, brandsQuery } from '#web/api/queries.ts'
import { AccountFilter } from '#web/platforms/account-filter.tsx'
import { BrandSelect } from '#web/ui/brand-select.tsx'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { Badge, statusLook } from '#web/ui/status.tsx'
import type { CalendarFilter } from './calendar-address.ts'
import { DRAFT_LOOK } from './entry-look.ts'
import { FilterButton } from './filter-button.tsx'

type Props = {
  filter: CalendarFilter
  opened: boolean
  onToggle: () => void
  onFilter: (change: Partial<CalendarFilter>) => void
}

/** Filters by brand, account and status. The statuses also say what the colours mean. */
export default function CalendarFilterPopover({ filter, opened, onToggle, onFilter }: Props) {
  const { data: brands = [] } = useQuery(brandsQuery)
  const { data: accounts = [] } = useQuery(accountsQuery())
  const ofBrand = accounts.filter(
    ({ brand_id }) => filter.brandId === undefined || brand_id === filter.brandId,
  )
  return (
    <FieldsPopover
      label="Filter"
      target={<FilterButton filter={filter} onClick={onToggle} />}
      opened={opened}
      onChange={(isOpen) => isOpen !== opened && onToggle()}
      position="bottom-end"
      width="19rem"
    >
      <Stack gap="sm">
        {brands.length > 1 && (
          <BrandSelect
            brands={brands}
            value={filter.brandId}
            onChange={(brandId) => onFilter({ brandId, accountId: undefined })}
          />
        )}
        {accounts.length > 1 && (
          <AccountFilter
            accounts={ofBrand}
            value={filter.accountId}
            onChange={(accountId) => onFilter({ accountId })}
          />
        )}
        <Group component="fieldset" gap="0.25rem" aria-label="Status">
          {STATUSES.map(([status, look]) => (
            <Button
              key={status}
              size="compact-sm"
              variant={status === filter.status ? 'default' : 'subtle'}
              aria-pressed={status === filter.status}
              onClick={() => onFilter({ status: status === filter.status ? undefined : status })}
            >
              <Badge {...(look === null ? DRAFT_LOOK : statusLook(look))} />
            </Button>
          ))}
        </Group>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onFilter({ brandId: undefined, accountId: undefined, status: undefined })}
        >
          Show everything
        </Button>
      </Stack>
    </FieldsPopover>
  )
}

const STATUSES: readonly (readonly [CalendarStatus, DeliveryStatus | null])[] = [
  ['scheduled', 'scheduled'],
  ['draft', null],
  ['published', 'published'],
  ['unconfirmed', 'unconfirmed'],
  ['held', 'blocked'],
  ['failed', 'failed'],
]
