import { Button, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { PostId } from '#contract/ids.ts'
import { COUNTED_IF_ALLOWED, needsPermissionForAll, type PlatformId } from '#contract/platforms/index.ts'
import type { DeliveryResults } from '#contract/results.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { accountsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime } from '#web/lib/moments.ts'
import { useNow } from '#web/lib/use-now.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { Card } from '#web/ui/card.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { AccountHead } from './account-head.tsx'
import { pointsOf, type CurvePoint } from './curve.ts'
import { Curves, type Curve } from './curves.tsx'
import { LINES_MAX } from './line-look.ts'
import { MetricNumber, Missing } from './number.tsx'
import { METRIC_WORDS, ageText, agoText, reasonOf } from './numbers.ts'
import { ShowResultsButtons } from './permission-notice.tsx'
import { byViews, currentValue, shownMetrics } from './post-numbers.ts'
import { postResultsQuery } from './results-query.ts'
import classes from './results.module.css'
import { ScrollTable } from './scroll-table.tsx'

/** What a live post did on each of its accounts. */
export default function PostResults({ postId }: { postId: PostId }) {
  const results = useQuery(postResultsQuery(postId))
  const deliveries = results.data?.deliveries ?? []
  if (results.data && deliveries.length === 0) return null
  return (
    <section aria-labelledby="results">
      <Card>
        <Stack gap="md">
          <Text component="h2" fw={600} id="results">
            {LABELS.results}
          </Text>
          {results.status === 'pending' && <RowsSkeleton />}
          {results.isError && (
            <QueryError query={results}>{messageOf(results.error, TEXTS.unknownError)}</QueryError>
          )}
          {deliveries.length > 0 && <Numbers deliveries={deliveries} />}
        </Stack>
      </Card>
    </section>
  )
}

function Numbers({ deliveries }: { deliveries: readonly DeliveryResults[] }) {
  const [isOpen, setOpen] = useState(false)
  const zone = useZone()
  const now = useNow()
  const count = deliveries.length
  const isFolded = count > LINES_MAX && !isOpen
  const shown = isFolded ? byViews(deliveries).slice(0, LINES_MAX) : deliveries
  const curves = shown.map((delivery) => ({ delivery, points: pointsOf(delivery, now) }))
  return (
    <>
      <Curves curves={curves} />
      <Notes deliveries={deliveries} zone={zone} />
      <NowTable deliveries={shown} now={now} />
      {count > LINES_MAX && (
        <Button variant="default" size="xs" mr="auto" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Show the ${LINES_MAX} accounts with most views` : `Show all ${count} accounts`}
        </Button>
      )}
      <details className={classes.details}>
        <summary>Show the curve as a table</summary>
        <MarksTable curves={curves} />
      </details>
    </>
  )
}

/** What is special about some of the accounts, and what can be done. */
function Notes({ deliveries, zone }: { deliveries: readonly DeliveryResults[]; zone: string }) {
  const gone = deliveries.filter(({ gone_since }) => gone_since !== null)
  const limited = deliveries.filter(({ linked, allowed }) => linked && !allowed)
  const unlinked = deliveries.filter(({ linked }) => !linked)
  return (
    <>
      {gone.length > 0 && (
        <InlineAlert tone="attention" live={false}>
          <ul>
            {gone.map((delivery) => (
              <li key={delivery.delivery_id}>
                <Names of={[delivery]} />
                <span>{`: not found since ${dayAndTime(delivery.gone_since ?? '', zone)}.`}</span>
              </li>
            ))}
          </ul>
          <p>The post was deleted or made private there, or is under review. It still counts as published.</p>
        </InlineAlert>
      )}
      <PermissionNotes of={limited} />
      {unlinked.length > 0 && (
        <InlineAlert tone="note" live={false}>
          <Names of={unlinked} />
          <span>: unlinked. The numbers stay as they were.</span>
        </InlineAlert>
      )}
    </>
  )
}

/** One for the accounts of each platform that lack the same numbers. */
function PermissionNotes({ of: limited }: { of: readonly DeliveryResults[] }) {
  const byWhat = Map.groupBy(limited, ({ platform }) => lackedWords(platform))
  return [...byWhat].map(([what, deliveries]) => <PermissionNote key={what} what={what} of={deliveries} />)
}

/** "results", or the numbers that a platform tells with the permission only: "shares and followers gained". */
const lackedWords = (platform: PlatformId): string =>
  needsPermissionForAll(platform)
    ? 'results'
    : AND.format(COUNTED_IF_ALLOWED[platform].map((metric) => METRIC_WORDS[metric].toLowerCase()))
const AND = new Intl.ListFormat('en')

function PermissionNote({ what, of: limited }: { what: string; of: readonly DeliveryResults[] }) {
  const accounts = useQuery(accountsQuery()).data ?? []
  const ids = new Set(limited.map(({ account_id }) => account_id))
  return (
    <InlineAlert
      tone="note"
      live={false}
      actions={<ShowResultsButtons accounts={accounts.filter(({ account_id }) => ids.has(account_id))} />}
    >
      <Names of={limited} />
      <span>{`: ${what} need a permission. Link the account${limited.length === 1 ? '' : 's'} again to allow it.`}</span>
    </InlineAlert>
  )
}

/** Accounts in a sentence. */
const Names = ({ of: deliveries }: { of: readonly DeliveryResults[] }) => (
  <strong>
    {deliveries.map((delivery, nth) => (
      <Fragment key={delivery.delivery_id}>
        {nth > 0 && <span>, </span>}
        <bdi>{accountOnPlatform(delivery)}</bdi>
      </Fragment>
    ))}
  </strong>
)

/** The last numbers of each account, as far as its platform reports them. */
function NowTable({ deliveries, now }: { deliveries: readonly DeliveryResults[]; now: number }) {
  const metrics = shownMetrics(deliveries)
  return (
    <ScrollTable label="The last numbers of each account" rows="accounts">
      <thead>
        <tr>
          <th scope="col">Account</th>
          {metrics.map((metric) => (
            <th scope="col" key={metric}>
              {METRIC_WORDS[metric]}
            </th>
          ))}
          <th scope="col">Last read</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.delivery_id}>
            <th scope="row">
              <AccountName of={delivery} />
            </th>
            {delivery.latest === null ? (
              // Said once for all of them.
              <td colSpan={metrics.length}>
                <Missing reason={reasonOf(currentValue(delivery, 'views'))} />
              </td>
            ) : (
              metrics.map((metric) => (
                <td key={metric}>
                  <MetricNumber metric={metric} of={currentValue(delivery, metric)} />
                </td>
              ))
            )}
            <td>
              <LastRead of={delivery} now={now} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}

function LastRead({ of: { latest, next_reading_at }, now }: { of: DeliveryResults; now: number }) {
  return (
    <span className={classes.missing}>
      <span>{latest === null ? 'Never' : agoText(latest.read_at, now)}</span>
      {next_reading_at === null && <span>, not read any more</span>}
    </span>
  )
}

/** The chart in numbers: a row for each age that a post of these has reached. */
function MarksTable({ curves }: { curves: readonly Curve[] }) {
  const ages = [
    ...new Set(
      curves.flatMap(({ points }) =>
        points.filter(({ isLatest }) => !isLatest).map(({ ageHours }) => ageHours),
      ),
    ),
  ].toSorted((a, b) => a - b)
  return (
    <ScrollTable label="Views by the age of the post" rows="ages">
      <thead>
        <tr>
          <th scope="col">Age</th>
          {curves.map(({ delivery }) => (
            <AccountHead key={delivery.delivery_id} of={delivery} />
          ))}
        </tr>
      </thead>
      <tbody>
        {ages.map((age) => (
          <tr key={age}>
            <th scope="row">{ageText(age)}</th>
            {curves.map(({ delivery, points }) => (
              <td key={delivery.delivery_id}>
                <PointNumber of={points.find(({ ageHours, isLatest }) => ageHours === age && !isLatest)} />
              </td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">Last reading</th>
          {curves.map(({ delivery }) => (
            <td key={delivery.delivery_id}>
              <MetricNumber metric="views" of={currentValue(delivery, 'views')} />
              {delivery.latest !== null && (
                <VisuallyHidden>
                  {`, ${ageText((Date.parse(delivery.latest.read_at) - Date.parse(delivery.live_at)) / 3_600_000)} old`}
                </VisuallyHidden>
              )}
            </td>
          ))}
        </tr>
      </tbody>
    </ScrollTable>
  )
}

const PointNumber = ({ of: point }: { of: CurvePoint | undefined }) =>
  point === undefined ? (
    <Missing reason="not_yet" />
  ) : (
    <MetricNumber metric="views" of={{ value: point.views, missing: point.missing }} />
  )
