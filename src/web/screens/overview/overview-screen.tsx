import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Post } from '#contract/posts.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/paths.ts'
import {
  accountsQuery,
  brandsQuery,
  keptUserData,
  postsQuery,
  settingsQuery,
  userQuery,
  videosQuery,
} from '#web/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { messageOf } from '#web/ui/message-of.ts'
import { browserTimeZone } from '#web/ui/moments.ts'
import { PageHeader } from '#web/ui/page-header.tsx'
import { Trouble } from '#web/ui/trouble.tsx'
import { WaitingRows } from '#web/ui/waiting.tsx'
import { useLivePosts } from '#web/use-live-posts.ts'
import { Checklist, type Done } from './checklist.tsx'
import classes from './overview.module.css'
import { ComingUp, NeedsYou, RecentlyPublished } from './posts-at-a-glance.tsx'

export function OverviewScreen() {
  useLivePosts()
  return (
    <>
      <PageHeader
        title={LABELS.overview}
        action={
          <Button component={Link} to={PATHS.upload} leftSection={<IconPlus {...ICON} />}>
            New post
          </Button>
        }
      />
      <div className={classes.parts}>
        <Notice />
        <Content />
      </div>
    </>
  )
}

/** What is true of this server and worth knowing before anything else (ruling R4). */
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

function Content() {
  const user = useQuery({ ...userQuery, placeholderData: keptUserData })
  const brands = useQuery(brandsQuery)
  const accounts = useQuery(accountsQuery())
  const videos = useQuery(videosQuery)
  const posts = useInfiniteQuery(postsQuery('all'))
  const attention = useInfiniteQuery(postsQuery('attention'))
  const failed = useInfiniteQuery(postsQuery('failed'))
  const scheduled = useInfiniteQuery(postsQuery('scheduled'))
  const asked = [brands, accounts, videos, posts, attention, failed, scheduled]

  const broken = asked.find(({ error }) => error !== null)
  if (broken) {
    const again = () => {
      for (const query of asked) if (query.error !== null) void query.refetch()
    }
    return (
      <Trouble
        actions={
          <Button size="xs" variant="default" onClick={again}>
            Try again
          </Button>
        }
      >
        {messageOf(broken.error, TEXTS.unknownError)}
      </Trouble>
    )
  }
  if (!brands.data || !accounts.data || !videos.data) return <WaitingRows rows={4} />
  if (!posts.data || !attention.data || !failed.data || !scheduled.data) return <WaitingRows rows={4} />

  const zone = user.data?.timezone ?? browserTimeZone()
  const all = firstPage(posts.data)
  const done: Done = {
    brand: brands.data.length > 0,
    account: accounts.data.length > 0,
    video: videos.data.length > 0 || all.length > 0,
    post: all.length > 0,
  }
  return (
    <>
      <NeedsYou attention={firstPage(attention.data)} failed={firstPage(failed.data)} />
      <Checklist done={done} />
      {done.post && (
        <div className={classes.columns}>
          <ComingUp posts={firstPage(scheduled.data)} zone={zone} />
          <RecentlyPublished posts={all} zone={zone} />
        </div>
      )}
    </>
  )
}

/** An overview looks at what is newest; the queue has the rest. */
const firstPage = (data: { pages: readonly { items: Post[] }[] }): Post[] => data.pages[0]?.items ?? []
