import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { LiveHeader } from '#web/posts/live-header.tsx'
import { overviewQuery, settingsQuery } from '#web/client/queries.ts'
import { useSession } from '#web/session/session.ts'
import { messageOf } from '#web/lib/format/message-of.ts'
import { QueryTrouble } from '#web/components/feedback/query-trouble.tsx'
import { Trouble } from '#web/components/feedback/trouble.tsx'
import { ZoneNote } from '#web/components/time/zone.tsx'
import { POLL_MS, useLivePosts } from '#web/posts/use-live-posts.ts'
import classes from './overview.module.css'
import { WaitingOverview } from './waiting-overview.tsx'

// Loaded in parallel with the data; a load error shows in its place.
const Parts = lazy(() => import('./parts.tsx'))

/** The header and the notice are shown while the session opens. */
export function OverviewScreen() {
  const signedIn = useSession().status === 'in'
  const { link, said } = useLivePosts(signedIn)
  const overview = useQuery({
    ...overviewQuery,
    enabled: signedIn,
    ...(link === 'reconnecting' && { refetchInterval: POLL_MS }),
  })
  return (
    <>
      <LiveHeader
        title={LABELS.overview}
        link={link}
        said={said}
        aside={overview.data?.first_steps.post && <ZoneNote />}
        first={overview.data?.first_steps.account !== false}
      />
      <div className={classes.parts}>
        <Notice />
        {overview.status === 'pending' && <WaitingOverview />}
        {overview.status === 'error' && (
          <QueryTrouble query={overview}>{messageOf(overview.error, TEXTS.unknownError)}</QueryTrouble>
        )}
        {overview.data && (
          <Suspense fallback={<WaitingOverview />}>
            <Parts overview={overview.data} />
          </Suspense>
        )}
      </div>
    </>
  )
}

/** The server's own notice (ruling R4). */
function Notice() {
  const settings = useQuery(settingsQuery)
  if (settings.data?.notice == null) return null
  const { notice, practice_url } = settings.data
  return (
    <Trouble
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
        </>
      }
    >
      {notice}
    </Trouble>
  )
}
