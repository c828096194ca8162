import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { ResultsAge } from '#contract/results.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayOf, zoneName } from '#web/lib/moments.ts'
import { PATHS } from '#web/lib/paths.ts'
import { saveCsv } from '#web/lib/save-file.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { hasConditions } from '#web/platforms/list-conditions.ts'
import { ListFilters } from '#web/platforms/list-filters.tsx'
import { VIEW_MEANINGS } from '#web/platforms/views.ts'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import type { ShowView } from '#web/ui/use-address-view.ts'
import { useOwnZone } from '#web/ui/zone.tsx'
import { AGE_WORDS, MISSING } from './numbers.ts'
import { PermissionNotice } from './permission-notice.tsx'
import { datedConditions, PERIODS, useResultsView, withoutDays, type ResultsView } from './results-address.ts'
import { resultsQuery } from './results-query.ts'
import { ResultsTable } from './results-table.tsx'
import classes from './results.module.css'

/** What each post did on each account, all at the same age. */
export function ResultsScreen() {
  const [view, show] = useResultsView()
  const zone = useOwnZone()
  const today = dayOf(new Date(serverNow()).toISOString(), zone)
  const list = useInfiniteQuery({ ...resultsQuery(view, today), placeholderData: keepPreviousData })
  const pages = list.data?.pages ?? []
  const rows = pages.flatMap((page) => page.rows)
  const accounts = [
    ...new Map(pages.flatMap((page) => page.accounts).map((one) => [one.account_id, one])).values(),
  ]
  return (
    <>
      <PageHeader title={LABELS.results} aside={<span>Days in {zoneName(zone)}</span>} />
      <Stack gap="md">
        <PermissionNotice conditions={view.conditions} />
        <Bar view={view} show={show} today={today} />
        <Notes view={view} />
        {list.status === 'pending' && <RowsSkeleton rows={6} height={80} />}
        {list.isError && <QueryError query={list}>{messageOf(list.error, TEXTS.unknownError)}</QueryError>}
        {rows.length > 0 && (
          <div className={classes.list} aria-busy={list.isPlaceholderData}>
            <ResultsTable rows={rows} accounts={accounts} zone={zone} label={labelOf(view)} />
          </div>
        )}
        {list.hasNextPage && (
          <Button
            variant="default"
            mx="auto"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more posts
          </Button>
        )}
        {list.status === 'success' && rows.length === 0 && <Nothing view={view} show={show} />}
        {rows.length > 0 && <Meanings />}
      </Stack>
    </>
  )
}

/** What the chosen age and order mean. */
function Notes({ view: { age, sort } }: { view: ResultsView }) {
  if (age !== 'now' && sort !== 'views') return null
  return (
    <Text component="div" c="dimmed" size="xs">
      {age === 'now' && (
        <p>The last numbers that each platform reported. The posts differ in age, so nothing is compared.</p>
      )}
      {sort === 'views' && (
        <p>
          By the account with most views. Views of different platforms are different things, so they are not
          added up.
        </p>
      )}
    </Text>
  )
}

const labelOf = ({ age }: ResultsView): string =>
  age === 'now' ? 'Views now' : `Views after ${AGE_WORDS[age]}`

type BarProps = { view: ResultsView; show: ShowView<ResultsView> }

function Bar({ view, show, today }: BarProps & { today: string }) {
  const { age, sort, days, conditions } = view
  const change = (its: Partial<ResultsView['conditions']>) =>
    show(
      { conditions: { ...conditions, ...its }, ...(('from' in its || 'to' in its) && { days: null }) },
      true,
    )
  const choosePeriod = (period: ResultsView['days']) =>
    show({ days: period, conditions: withoutDays(conditions) }, true)
  return (
    <Stack gap="sm">
      <Group component="search" gap="xs" align="center">
        <ListFilters conditions={conditions} onChange={change} />
        <Group component="fieldset" gap="0.375rem" aria-label="Days">
          {PERIODS.map((period) => (
            <FilterChip
              key={period}
              isChosen={period === days}
              onChoose={() => choosePeriod(period === days ? null : period)}
            >
              Last {period} days
            </FilterChip>
          ))}
        </Group>
      </Group>
      <Group gap="0.5rem 1.5rem" justify="space-between">
        <Group component="fieldset" gap="0.375rem" aria-label="Age of the posts">
          {ResultsAge.options.map((one) => (
            <FilterChip key={one} isChosen={one === age} onChoose={() => show({ age: one })}>
              {AGE_WORDS[one]}
            </FilterChip>
          ))}
        </Group>
        <Group gap="xs">
          <NativeSelect
            aria-label="Sort"
            value={sort}
            onChange={({ currentTarget: { value } }) =>
              show({ sort: value === 'views' ? 'views' : 'newest' }, true)
            }
            data={[
              { value: 'newest', label: 'Newest first' },
              { value: 'views', label: 'Most views first' },
            ]}
          />
          <ExportButton view={view} today={today} />
          <Button variant="default" component={Link} to={PATHS.report}>
            Report for a client
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

function ExportButton({ view, today }: { view: ResultsView; today: string }) {
  const { age } = view
  const download = useMutation({
    mutationFn: () => call('exportResults', { query: { age, ...datedConditions(view, today) } }),
    onSuccess: (csv) => saveCsv(csv, `reelay-results-${age}-${today}.csv`),
  })
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload {...ICON} />}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Export CSV
      </Button>
      {download.error && <InlineAlert>{messageOf(download.error, TEXTS.unknownError)}</InlineAlert>}
    </>
  )
}

const Nothing = ({ view: { days, conditions }, show }: BarProps) =>
  days !== null || hasConditions(conditions) ? (
    <CenteredMessage
      text="No live posts match."
      action={
        <Button variant="default" onClick={() => show({ days: null, conditions: {} })}>
          Clear filters
        </Button>
      }
    />
  ) : (
    <CenteredMessage
      text="Once a post is live, its views on each account show here."
      action={
        <Button variant="default" component={Link} to={PATHS.compose}>
          New post
        </Button>
      }
    />
  )

/** What the words and numbers of this page mean. */
const Meanings = () => (
  <details className={classes.details}>
    <summary>What these numbers mean</summary>
    <dl className={classes.meanings}>
      {PLATFORM_IDS.map((id) => (
        <Meaning key={id} word={`A view on ${PLATFORM_NAMES[id]}`} meaning={VIEW_MEANINGS[id]} />
      ))}
      <Meaning
        word="Usual"
        meaning="The middle value of the account's last posts at the same age. ▲ stands for half as much again or more, ▼ for two thirds or less."
      />
      {Object.values(MISSING).map(({ word, why }) => (
        <Meaning key={word} word={word} meaning={why} />
      ))}
    </dl>
  </details>
)

const Meaning = ({ word, meaning }: { word: string; meaning: string }) => (
  <>
    <dt>{word}</dt>
    <dd>{meaning}</dd>
  </>
)
