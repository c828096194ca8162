import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { overviewQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { LiveHeader } from '#web/posts/live-header.tsx'
import { POSTS_POLL_MS, useLivePosts } from '#web/posts/use-live-posts.ts'
import { Card } from '#web/ui/card.tsx'
import { lazyExtra, lazyPart } from '#web/ui/lazy-part.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import { ZoneChoice } from '#web/ui/zone.tsx'
import classes from './overview.module.css'

const ServerNotice = lazyExtra(() => import('./server-notice.tsx'))
const OverviewSections = lazyPart(() => import('./overview-sections.tsx'))

export function OverviewScreen() {
  const { link, outcomes } = useLivePosts()
  const overview = useQuery({
    ...overviewQuery,
    ...(link === 'reconnecting' && { refetchInterval: POSTS_POLL_MS }),
  })
  return (
    <>
      <LiveHeader
        title={LABELS.overview}
        link={link}
        outcomes={outcomes}
        aside={overview.data?.first_steps.post && <ZoneChoice />}
        first={overview.data?.first_steps.account !== false}
      />
      <Stack gap="lg">
        <ServerNotice />
        {overview.status === 'pending' && <OverviewSkeleton />}
        {overview.status === 'error' && (
          <QueryError query={overview}>{messageOf(overview.error, TEXTS.unknownError)}</QueryError>
        )}
        {overview.data && (
          <Suspense fallback={<OverviewSkeleton />}>
            <OverviewSections overview={overview.data} />
          </Suspense>
        )}
      </Stack>
    </>
  )
}

function OverviewSkeleton() {
  return (
    <Delayed>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <div className={classes.columns} aria-hidden="true">
        <SectionSkeleton />
        <SectionSkeleton />
      </div>
      <div aria-hidden="true">
        <Skeleton height={12} width={140} mb={13} mt={5} />
        <Card>
          <Skeleton height={200} />
        </Card>
      </div>
    </Delayed>
  )
}

const SectionSkeleton = () => (
  <div>
    <Skeleton height={12} width={120} mb={13} mt={5} />
    <Card flush>
      {['62%', '44%', '53%'].map((width) => (
        <Stack key={width} gap="0.625rem" px="md" py="sm">
          <div className={classes.head}>
            <Skeleton height={64} width={36} radius="sm" />
            <div>
              <Skeleton height={12} width={width} mb={10} />
              <Skeleton height={10} width="38%" />
            </div>
            <div className={classes.deliveries}>
              <Skeleton height={12} width="72%" />
            </div>
          </div>
        </Stack>
      ))}
    </Card>
  </div>
)
