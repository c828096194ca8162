import { Button, Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { overviewQuery, settingsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { CLOSED_NOTICE_KEY } from '#web/lib/storage-keys.ts'
import { readItem, writeItem } from '#web/lib/storage.ts'
import { LiveHeader } from '#web/posts/live-header.tsx'
import { POSTS_POLL_MS, useLivePosts } from '#web/posts/use-live-posts.ts'
import { Card } from '#web/ui/card.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import { ZoneChoice } from '#web/ui/zone.tsx'
import classes from './overview.module.css'

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
        <Notice />
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

/** The server's own notice (ruling R4); closed, it is a chip that opens it again. */
function Notice() {
  const settings = useQuery(settingsQuery)
  const [closed, setClosed] = useState(() => readItem(CLOSED_NOTICE_KEY))
  if (settings.data?.notice == null) return null
  const { notice, practice_url } = settings.data
  const close = (text: string) => {
    writeItem(CLOSED_NOTICE_KEY, text)
    setClosed(text)
  }
  if (closed === notice)
    return (
      <Button size="compact-sm" variant="default" mr="auto" onClick={() => close('')}>
        {practice_url === null ? 'Notice' : 'Practice mode'}
      </Button>
    )
  return (
    <InlineAlert
      tone="note"
      live={false}
      actions={
        <>
          {practice_url !== null && (
            <Button
              size="xs"
              variant="default"
              component="a"
              href={practice_url}
              target="_blank"
              rel="noreferrer"
            >
              See the practice feed
            </Button>
          )}
          <Button size="xs" variant="default" component={Link} to={`${PATHS.help}#going-live`}>
            How to go live
          </Button>
          <Button size="xs" variant="subtle" onClick={() => close(notice)}>
            Close
          </Button>
        </>
      }
    >
      {notice}
    </InlineAlert>
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
