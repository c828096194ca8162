import { Button, Group, Menu, Stack, Text, type ButtonProps } from '@mantine/core'
import {
  IconArrowsSort,
  IconBuildingStore,
  IconCalendar,
  IconChevronDown,
  IconTag,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState, type ComponentProps, type ReactNode } from 'react'
import type { Brand } from '#contract/brands.ts'
import { VideoSort } from '#contract/videos.ts'
import { addDays } from '#domain/schedule/days.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { libraryQuery, type VideosFilter } from '#web/api/videos.ts'
import { DayField } from '#web/ui/day-and-time.tsx'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { dateOf, dayAndMonth, dayOf } from '#web/lib/moments.ts'
import { useNow } from '#web/lib/use-now.ts'
import classes from './videos.module.css'

type Props = {
  filter: VideosFilter
  onFilter: (filter: VideosFilter) => void
  /** A dialog begins with the search. */
  takesFocus?: boolean
}

/** Search, use, brand, tag, days and order. */
export function Filters({ filter, onFilter, takesFocus = false }: Props) {
  const change = (its: Partial<VideosFilter>) => onFilter({ ...filter, ...its })
  const { tags = [], unused = 0 } = useQuery(libraryQuery).data ?? {}
  const brands = useQuery(brandsQuery).data ?? []
  return (
    <search className={classes.filters}>
      <SearchField
        label="Search name or tag"
        value={filter.search}
        onChange={(search) => change({ search })}
        className={classes.search}
        takesFocus={takesFocus}
      />
      <div className={classes.chips}>
        <UseChips filter={filter} change={change} unused={unused} />
        <BrandFilter filter={filter} change={change} brands={brands} />
        {(tags.length > 0 || filter.tag !== null) && (
          <ChoiceMenu
            icon={<IconTag {...ICON} size={16} />}
            name="Tag"
            chosen={filter.tag}
            none="All tags"
            choices={tags.map(({ tag, videos }) => ({ value: tag, label: tag, count: videos }))}
            onChoose={(tag) => change({ tag })}
          />
        )}
        <AddedFilter filter={filter} change={change} />
      </div>
      <SortMenu sort={filter.sort} onSort={(sort) => change({ sort })} />
    </search>
  )
}

type PartProps = { filter: VideosFilter; change: (its: Partial<VideosFilter>) => void }

const UseChips = ({ filter, change, unused }: PartProps & { unused: number }) => (
  <Group component="fieldset" gap="0.375rem" wrap="nowrap" aria-label="Use">
    <FilterChip isChosen={!filter.isUnused} onChoose={() => change({ isUnused: false })}>
      All
    </FilterChip>
    <FilterChip isChosen={filter.isUnused} onChoose={() => change({ isUnused: true })}>
      Unused {unused > 0 && <span>{unused.toLocaleString('en')}</span>}
    </FilterChip>
  </Group>
)

function BrandFilter({ filter, change, brands }: PartProps & { brands: readonly Brand[] }) {
  if (brands.length === 0) return null
  return (
    <ChoiceMenu
      icon={<IconBuildingStore {...ICON} size={16} />}
      name="Brand"
      chosen={brands.find(({ brand_id }) => brand_id === filter.brandId)?.title ?? null}
      none="All brands"
      choices={brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title }))}
      onChoose={(id) =>
        change({ brandId: brands.find(({ brand_id }) => String(brand_id) === id)?.brand_id ?? null })
      }
    />
  )
}

type ChoiceButtonProps = {
  icon: ReactNode
  name: string
  /** The label of what is chosen; null: nothing is. */
  chosen: string | null
}

const ChoiceButton = ({
  icon,
  name,
  chosen,
  ...button
}: ChoiceButtonProps & ButtonProps & Pick<ComponentProps<'button'>, 'ref' | 'onClick'>) => (
  <Button
    {...button}
    variant="default"
    size="xs"
    className={classes.menuButton ?? ''}
    data-chosen={chosen !== null || undefined}
    leftSection={icon}
    rightSection={<IconChevronDown {...ICON} size={14} />}
  >
    {chosen === null ? (
      name
    ) : (
      <span>
        {name}: <bdi>{chosen}</bdi>
      </span>
    )}
  </Button>
)

type ChoiceMenuProps = ChoiceButtonProps & {
  /** The item that chooses nothing. */
  none: string
  choices: readonly { readonly value: string; readonly label: string; readonly count?: number }[]
  onChoose: (value: string | null) => void
}

function ChoiceMenu({ icon, name, chosen, none, choices, onChoose }: ChoiceMenuProps) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ChoiceButton icon={icon} name={name} chosen={chosen} />
      </Menu.Target>
      <Menu.Dropdown className={classes.scroll ?? ''}>
        {chosen !== null && <Menu.Item onClick={() => onChoose(null)}>{none}</Menu.Item>}
        {choices.map(({ value, label, count }) => (
          <Menu.Item
            key={value}
            rightSection={
              count !== undefined && (
                <Text span c="dimmed" size="xs">
                  {count}
                </Text>
              )
            }
            onClick={() => onChoose(value)}
          >
            <bdi>{label}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const PRESET_DAYS = [7, 30, 90] as const

/** The days on which videos were added, in the user's zone. */
function AddedFilter({ filter: { from, to }, change }: PartProps) {
  const [isOpen, setOpen] = useState(false)
  const today = dayOf(new Date(useNow()).toISOString(), useZone())
  const firstOfLast = (days: number) => addDays(today, 1 - days)
  const preset = to === null ? PRESET_DAYS.find((days) => from === firstOfLast(days)) : undefined
  return (
    <FieldsPopover
      position="bottom-start"
      width="20.5rem"
      label="Added"
      opened={isOpen}
      onChange={setOpen}
      target={
        <ChoiceButton
          icon={<IconCalendar {...ICON} size={16} />}
          name="Added"
          chosen={preset === undefined ? daysLabel(from, to, today) : `last ${preset} days`}
          onClick={() => setOpen(!isOpen)}
        />
      }
    >
      <Stack gap="sm">
        <Group gap="0.375rem" fz="sm" fw={600}>
          Last
          {PRESET_DAYS.map((days) => (
            <FilterChip
              key={days}
              label={`Last ${days} days`}
              isChosen={preset === days}
              onChoose={() => change({ from: preset === days ? null : firstOfLast(days), to: null })}
            >
              {days} days
            </FilterChip>
          ))}
        </Group>
        <DayField
          label="From"
          placeholder="The first video"
          clearable
          value={from}
          maxDate={to ?? today}
          onChange={(day) => change({ from: day })}
        />
        <DayField
          label="To"
          placeholder="Today"
          clearable
          value={to}
          {...(from !== null && { minDate: from })}
          maxDate={today}
          onChange={(day) => change({ to: day })}
        />
      </Stack>
    </FieldsPopover>
  )
}

/** null: all days. The year is named if it is not this one. */
function daysLabel(from: string | null, to: string | null, today: string): string | null {
  const format = (day: string) => (day.slice(0, 4) === today.slice(0, 4) ? dayAndMonth : dateOf)(day, 'UTC')
  const [first, last] = [from, to].map((day) => day && format(day))
  if (first && last) return first === last ? first : `${first} to ${last}`
  if (first) return `since ${first}`
  return last ? `until ${last}` : null
}

const SORT_WORDS: Record<VideoSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'By name',
  largest: 'Largest first',
}

function SortMenu({ sort, onSort }: { sort: VideoSort; onSort: (sort: VideoSort) => void }) {
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          className={[classes.menuButton, classes.sort].join(' ')}
          aria-label={`Order: ${SORT_WORDS[sort]}`}
          leftSection={<IconArrowsSort {...ICON} size={16} />}
          rightSection={<IconChevronDown {...ICON} size={14} />}
        >
          <span className={classes.sortWord}>{SORT_WORDS[sort]}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {VideoSort.options.map((order) => (
          <Menu.Item key={order} onClick={() => onSort(order)}>
            {SORT_WORDS[order]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
