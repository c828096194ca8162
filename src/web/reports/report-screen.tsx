import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconPrinter, IconShare2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Brand } from '#contract/brands.ts'
import type { OwnReport } from '#contract/reports.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf, dayOf, knownZone } from '#web/lib/moments.ts'
import { PATHS } from '#web/lib/paths.ts'
import { saveCsv } from '#web/lib/save-file.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { BrandSelect } from '#web/ui/brand-select.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton, RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { MonthField } from './month-field.tsx'
import { NoteForm } from './note-form.tsx'
import { printAs } from './print-as.ts'
import { reportQuery, type ReportKey } from './report-query.ts'
import { ReportPage } from './report-page.tsx'
import classes from './report-page.module.css'
import { monthSpan, monthOfAddress, monthTitle } from './report.ts'
import { ShareDialog } from './share-dialog.tsx'
import { useNote } from './use-note.ts'

export function ReportScreen() {
  const brands = useQuery(brandsQuery)
  if (brands.data !== undefined && brands.data.length > 0) return <BrandReport brands={brands.data} />
  return (
    <>
      <Header />
      {brands.status === 'pending' && <FieldsSkeleton heights={[36, 96]} />}
      {brands.status === 'error' && (
        <QueryError query={brands}>{messageOf(brands.error, TEXTS.unknownError)}</QueryError>
      )}
      {brands.status === 'success' && (
        <CenteredMessage
          text="A report is about one brand. Create a brand first."
          action={
            <Button component={Link} to={PATHS.brands}>
              Go to brands
            </Button>
          }
        />
      )}
    </>
  )
}

const Header = ({ action, aside }: { action?: ReactNode; aside?: ReactNode }) => (
  <div className={classes.controls}>
    <PageHeader
      title="Report"
      note={<Link to={PATHS.results}>Back to results</Link>}
      aside={aside}
      action={action}
    />
  </div>
)

/** The report that the address names: `?brand=1&month=2026-10`. */
function BrandReport({ brands }: { brands: readonly Brand[] }) {
  const own = useOwnZone()
  const [params, setParams] = useSearchParams()
  const brand = brands.find(({ brand_id }) => String(brand_id) === params.get('brand')) ?? brands[0]
  const zone = knownZone(brand?.timezone ?? own)
  const present = dayOf(new Date(serverNow()).toISOString(), zone).slice(0, 7)
  const month = monthOfAddress(params.get('month'), present)
  return (
    brand && (
      <ChosenReport
        brand={brand}
        month={month}
        zone={zone}
        present={present}
        brands={brands}
        onChoose={(next) => {
          const chosen = { brandId: brand.brand_id, month, ...next }
          setParams(
            { brand: String(chosen.brandId), month: chosen.month },
            { replace: true, preventScrollReset: true },
          )
        }}
      />
    )
  )
}

type ChosenProps = {
  brands: readonly Brand[]
  brand: Brand
  month: string
  /** Of the month's days. */
  zone: string
  /** The month that runs. */
  present: string
  onChoose: (next: Partial<ReportKey>) => void
}

function ChosenReport({ brands, brand, month, zone, present, onChoose }: ChosenProps) {
  const key = { brandId: brand.brand_id, month }
  const query = useQuery(reportQuery(key))
  const [sharing, dialog] = useDisclosure(false)
  const name = `${brand.title}, ${monthTitle(month)}`
  const download = useMutation({
    mutationFn: () =>
      call('exportResults', {
        query: { brandId: key.brandId, ...monthSpan(month), timezone: zone, age: '7d' },
      }),
    onSuccess: (csv) => saveCsv(csv, `${name}.csv`),
  })
  const choose = (next: Partial<ReportKey>) => {
    download.reset()
    onChoose(next)
  }
  return (
    <>
      <Header
        aside={
          <>
            <Button
              variant="default"
              leftSection={<IconDownload {...ICON} />}
              loading={download.isPending}
              onClick={() => download.mutate()}
            >
              Download CSV
            </Button>
            <Button
              variant="default"
              leftSection={<IconPrinter {...ICON} />}
              disabled={query.data === undefined}
              onClick={() => printAs(name)}
            >
              Print
            </Button>
          </>
        }
        action={
          <Button
            leftSection={<IconShare2 {...ICON} />}
            disabled={query.data === undefined}
            onClick={dialog.open}
          >
            Share link
          </Button>
        }
      />
      <Stack>
        <Group gap="sm" align="end" className={classes.controls ?? ''}>
          <BrandSelect
            brands={brands}
            all={false}
            value={key.brandId}
            onChange={(brandId) => brandId !== undefined && choose({ brandId })}
          />
          <MonthField month={month} last={present} onChange={(chosen) => choose({ month: chosen })} />
        </Group>
        {download.error && <InlineAlert>{messageOf(download.error, TEXTS.unknownError)}</InlineAlert>}
        {query.data ? (
          <OneReport
            key={`${key.brandId} ${month}`}
            reportKey={key}
            report={query.data}
            sharing={sharing}
            onShared={dialog.close}
          />
        ) : query.isError ? (
          <QueryError query={query}>{messageOf(query.error, TEXTS.unknownError)}</QueryError>
        ) : (
          <RowsSkeleton height={96} />
        )}
      </Stack>
    </>
  )
}

type OneProps = { reportKey: ReportKey; report: OwnReport; sharing: boolean; onShared: () => void }

function OneReport({ reportKey, report, sharing, onShared }: OneProps) {
  const zone = useOwnZone()
  const note = useNote(reportKey, report.note)
  return (
    <>
      <div className={classes.controls}>
        <NoteForm note={note} />
        {report.link_expires_at !== null && (
          <Text c="dimmed" size="xs" mt="xs">
            Shared by link until {dateOf(report.link_expires_at, zone)}.
          </Text>
        )}
      </div>
      <ReportPage report={{ ...report, note: note.note }} level={2} />
      <ShareDialog
        reportKey={reportKey}
        expiresAt={report.link_expires_at}
        isUnsaved={note.isUnsaved}
        opened={sharing}
        onClose={onShared}
      />
    </>
  )
}
