import { IconChevronDown, IconTags, IconUsers } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { CalendarStatus } from '#contract/planning/calendar.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { Badge, statusLook } from '#web/ui/status.tsx'
import classes from './calendar.module.css'
import { DRAFT_LOOK } from './entry-look.ts'
import type { CalendarFilter } from './calendar-address.ts'

type Props = {
  filter: CalendarFilter
  brands: readonly Brand[]
  accounts: readonly Account[]
  onFilter: (change: Partial<CalendarFilter>) => void
}

type SelectProps = {
  label: string
  icon: ReactNode
  value: string | number
  onChoose: (value: string) => void
  children: ReactNode
}

/** The browser's own select: Mantine's would be 5 kB more before the first paint. */
const Select = ({ label, icon, value, onChoose, children }: SelectProps) => (
  <span className={classes.select}>
    {icon}
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {children}
    </select>
    <IconChevronDown {...ICON} size={14} />
  </span>
)

/** More brands than this are in a list instead of buttons. */
const BUTTONS_MAX = 5

export function CalendarFilters({ filter, brands, accounts, onFilter }: Props) {
  const ofBrand = accounts.filter(
    ({ brand_id }) => filter.brandId === undefined || brand_id === filter.brandId,
  )
  return (
    <div className={classes.filters}>
      <Brands brands={brands} chosen={filter.brandId} onFilter={onFilter} />
      {accounts.length > 1 && (
        <Select
          label="Accounts"
          icon={<IconUsers {...ICON} size={16} />}
          value={filter.accountId ?? ''}
          onChoose={(value) =>
            onFilter({
              accountId: accounts.find(({ account_id }) => String(account_id) === value)?.account_id,
            })
          }
        >
          <option value="">All accounts</option>
          {ofBrand.map((account) => (
            <option key={account.account_id} value={account.account_id}>
              {accountName(account)} ({PLATFORM_NAMES[account.platform]})
            </option>
          ))}
        </Select>
      )}
      <Legend chosen={filter.status} onFilter={onFilter} />
    </div>
  )
}

type BrandsProps = Pick<Props, 'brands' | 'onFilter'> & { chosen: CalendarFilter['brandId'] }

function Brands({ brands, chosen, onFilter }: BrandsProps) {
  const choose = (brandId: CalendarFilter['brandId']) => onFilter({ brandId, accountId: undefined })
  if (brands.length < 2) return null
  if (brands.length > BUTTONS_MAX)
    return (
      <Select
        label="Brands"
        icon={<IconTags {...ICON} size={16} />}
        value={chosen ?? ''}
        onChoose={(value) => choose(brands.find(({ brand_id }) => String(brand_id) === value)?.brand_id)}
      >
        <option value="">All brands</option>
        {brands.map(({ brand_id, title }) => (
          <option key={brand_id} value={brand_id}>
            {title}
          </option>
        ))}
      </Select>
    )
  return (
    <fieldset className={classes.brands} aria-label="Brands">
      <FilterChip isChosen={chosen === undefined} onChoose={() => choose(undefined)}>
        All brands
      </FilterChip>
      {brands.map(({ brand_id, title }) => (
        <FilterChip key={brand_id} isChosen={chosen === brand_id} onChoose={() => choose(brand_id)}>
          {title}
        </FilterChip>
      ))}
    </fieldset>
  )
}

const LEGEND: readonly (readonly [CalendarStatus, DeliveryStatus | null])[] = [
  ['scheduled', 'scheduled'],
  ['draft', null],
  ['published', 'published'],
  ['unconfirmed', 'unconfirmed'],
  ['held', 'blocked'],
  ['failed', 'failed'],
]

/** What the colours mean; each shows only what has this status. */
const Legend = ({ chosen, onFilter }: { chosen: CalendarFilter['status']; onFilter: Props['onFilter'] }) => (
  <fieldset className={classes.legend} aria-label="Statuses">
    {LEGEND.map(([status, look]) => (
      <button
        key={status}
        type="button"
        aria-pressed={status === chosen}
        onClick={() => onFilter({ status: status === chosen ? undefined : status })}
      >
        <Badge {...(look === null ? DRAFT_LOOK : statusLook(look))} />
      </button>
    ))}
  </fieldset>
)
