import { Button, Group } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import type { Report } from '#contract/reports.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { FrontPage } from '#web/ui/front-page.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { usePageTitle } from '#web/ui/page-title.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import { printAs } from './print-as.ts'
import { sharedReportQuery } from './report-query.ts'
import { ReportPage } from './report-page.tsx'
import classes from './report-page.module.css'
import { monthTitle } from './report.ts'

/** The page on which a client reads a report, without an account. The token is in the fragment. */
export function SharedReportScreen() {
  const token = useLocation().hash.slice(1)
  return (
    <QueryClientProvider client={queryClient}>
      {token === '' ? <NoReport /> : <SharedReport token={token} />}
    </QueryClientProvider>
  )
}

function SharedReport({ token }: { token: string }) {
  const query = useQuery(sharedReportQuery(token))
  if (query.data) return <Shown report={query.data} />
  if (query.error && isWrongAddress(query.error)) return <NoReport />
  return (
    <FrontPage title="Report">
      {query.isError ? (
        <QueryError query={query}>{reasonOf(query.error)}</QueryError>
      ) : (
        <Delayed>
          <output>Loading the report</output>
        </Delayed>
      )}
    </FrontPage>
  )
}

/** `invalid`: no token is as long. */
const isWrongAddress = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.code === 'not_found' || error.code === 'invalid')

const reasonOf = (error: unknown): string =>
  error instanceof ApiProblem && error.kind === 'unreachable'
    ? "Can't reach the server. Check your connection, or wait a moment."
    : messageOf(error, TEXTS.unknownError)

const NoReport = () => (
  <FrontPage title="No report here">
    <CenteredMessage
      inCard
      text="The link has ended, or part of its address is missing. Ask the person who sent it for a new one."
    />
  </FrontPage>
)

function Shown({ report }: { report: Report }) {
  const name = `${report.brand_title}, ${monthTitle(report.month)}`
  usePageTitle(name)
  return (
    <div className={classes.shared}>
      <Group component="header" justify="end" className={classes.controls ?? ''}>
        <Button variant="default" leftSection={<IconPrinter {...ICON} />} onClick={() => printAs(name)}>
          Print
        </Button>
      </Group>
      <main>
        <ReportPage report={report} />
      </main>
    </div>
  )
}
