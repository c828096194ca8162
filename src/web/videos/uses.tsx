import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Video, VideoUsage } from '#contract/videos.ts'
import { videosUsageQuery } from '#web/api/videos.ts'
import { useZone } from '#web/ui/zone.tsx'
import { dayAndTime } from '#web/lib/moments.ts'
import { draftPath, PATHS, type QueueState } from '#web/lib/paths.ts'
import { usageText } from './usage-text.ts'
import classes from './videos.module.css'

type UsedPost = VideoUsage['posts'][number]
type UsedDraft = VideoUsage['drafts'][number]

/** The posts and drafts of one video. */
export function UsesOfVideo({ video }: { video: Video }) {
  const isUsed = video.used_in.posts + video.used_in.drafts > 0
  const usage = useQuery({ ...videosUsageQuery([video.video_id]), enabled: isUsed })
  const [own] = usage.data?.videos ?? []
  if (!isUsed)
    return (
      <Text c="dimmed" size="xs">
        Not used yet.
      </Text>
    )
  if (!own)
    return (
      <Text c="dimmed" size="xs">
        {usageText(video.used_in)}.
      </Text>
    )
  return (
    <>
      <PostUses
        heading="Posts"
        posts={own.posts}
        total={Object.values(own.post_counts).reduce((a, b) => a + b)}
      />
      <DraftUses heading="Drafts" drafts={own.drafts} />
    </>
  )
}

type PostUsesProps = { heading: string; posts: readonly UsedPost[]; total: number }

/** Posts by the beginning of their text; the queue shows the rest. */
export function PostUses({ heading, posts, total }: PostUsesProps) {
  const zone = useZone()
  if (posts.length === 0) return null
  return (
    <UseList heading={heading}>
      {posts.map(({ post_id, text, publish_at, effect }) => (
        <Group
          component="li"
          key={post_id}
          justify="space-between"
          align="start"
          wrap="nowrap"
          className={classes.use ?? ''}
        >
          <Link
            className={classes.truncated}
            to={PATHS.queue}
            state={{ postId: post_id } satisfies QueueState}
          >
            {firstLine(text) || 'No caption'}
          </Link>
          <Text span inherit c="dimmed" flex="none">
            {publish_at === null ? WHEN[effect] : dayAndTime(publish_at, zone)}
          </Text>
        </Group>
      ))}
      <More total={total} shown={posts.length} />
    </UseList>
  )
}

/** Shown for a post to be sent as soon as possible: its state follows from what deleting its video would do. */
const WHEN = { cancelled: 'As soon as possible', blocks: 'In progress', kept: 'Finished' } as const

type DraftUsesProps = { heading: string; drafts: readonly UsedDraft[] }

/** Drafts by the beginning of their text. */
export const DraftUses = ({ heading, drafts }: DraftUsesProps) =>
  drafts.length > 0 && (
    <UseList heading={heading}>
      {drafts.map(({ draft_id, text }) => (
        <Group
          component="li"
          key={draft_id}
          justify="space-between"
          align="start"
          wrap="nowrap"
          className={classes.use ?? ''}
        >
          <Link className={classes.truncated} to={draftPath(draft_id)}>
            {firstLine(text) || 'No caption'}
          </Link>
        </Group>
      ))}
    </UseList>
  )

const UseList = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <section>
    <Text component="h3" size="xs" fw={600}>
      {heading}
    </Text>
    <Stack
      component="ul"
      gap="0.25rem"
      mt="0.25rem"
      mah="12rem"
      fz="xs"
      className={classes.scroll}
      aria-label={heading}
    >
      {children}
    </Stack>
  </section>
)

const More = ({ total, shown }: { total: number; shown: number }) =>
  total > shown && (
    <Text component="li" inherit c="dimmed">
      and {(total - shown).toLocaleString('en')} more
    </Text>
  )

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? ''
