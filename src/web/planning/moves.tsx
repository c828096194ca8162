import { Group, Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import type { z } from 'zod'
import type { scheduleEndpoints } from '#contract/planning/schedules.ts'
import type { Post } from '#contract/posts.ts'
import { postQuery } from '#web/api/queries.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { counted } from '#web/lib/amounts.ts'
import { dayAndTime, knownZone, zoneName } from '#web/lib/moments.ts'

export type Move = z.infer<typeof scheduleEndpoints.previewSchedule.reply>['moves'][number]

/** Thrown to ask first: a change moves these posts, which were not agreed to. */
export class MovesPosts extends Error {
  readonly moves: readonly Move[]
  constructor(moves: readonly Move[]) {
    super('Posts move.')
    this.moves = moves
  }
}

/**
 * The server counts what moves; the same number of other posts is not what was agreed to.
 * @throws {MovesPosts} where others move, or at other times
 */
export function assertAgreed(moves: readonly Move[], agreed: readonly Move[]): void {
  const told = new Set(agreed.map(moveKey))
  if (moves.length !== agreed.length || moves.some((move) => !told.has(moveKey(move))))
    throw new MovesPosts(moves)
}

/** Empty while it is loaded. */
const captionOf = (post: Pick<Post, 'text'> | undefined): string =>
  post === undefined ? '' : post.text || 'A post without a caption'

const moveKey = ({ post_id, from, to }: Move): string => `${post_id} ${from} ${to}`

const SHOWN_MAX = 5

/** Each post that a change of slots moves, with its time before and after. */
export function Moves({ moves, timezone }: { moves: readonly Move[]; timezone: string | null }) {
  const own = useOwnZone()
  const zone = knownZone(timezone ?? own)
  const shown = moves.slice(0, SHOWN_MAX)
  const posts = useQueries({ queries: shown.map(({ post_id }) => postQuery(post_id)) })
  if (moves.length === 0)
    return <InlineAlert tone="note">No posts need to move any more. Save again.</InlineAlert>
  return (
    <InlineAlert tone="attention" title={`This moves ${counted(moves.length, 'post')}.`}>
      Times in {zoneName(zone)}.
      <Stack component="ul" gap="0.25rem" mt="0.375rem">
        {shown.map(({ post_id, from, to }, at) => (
          <Group component="li" key={post_id} gap="0 0.75rem">
            <Text span inherit truncate dir="auto" maw="18rem">
              {captionOf(posts[at]?.data)}
            </Text>
            <span>
              {dayAndTime(from, zone)} → <strong>{dayAndTime(to, zone)}</strong>
            </span>
          </Group>
        ))}
        {moves.length > shown.length && <li>and {counted(moves.length - shown.length, 'more post')}</li>}
      </Stack>
    </InlineAlert>
  )
}
