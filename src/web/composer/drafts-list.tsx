import { ActionIcon, Box, Button, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DraftSummary } from '#contract/drafts.ts'
import { DRAFT_UNDO_DAYS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_DRAFTS, draftsQuery, queryClient } from '#web/api/queries.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { PageHeader } from '#web/ui/page-header.tsx'
import { ZoneNote, useZone } from '#web/ui/zone.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { useNow } from '#web/lib/use-now.ts'
import { PATHS } from '#web/lib/paths.ts'
import { accountsWord } from './when.ts'
import classes from './composer.module.css'

/** The drafts, and those that were deleted and can be restored. */
export default function DraftsList() {
  const drafts = useQuery(draftsQuery('false'))
  const deleted = useQuery(draftsQuery('true'))
  const gone = deleted.data?.items ?? []
  return (
    <>
      <PageHeader
        title="Drafts"
        aside={<ZoneNote />}
        action={
          <Button component={Link} to={PATHS.compose}>
            New post
          </Button>
        }
      />
      {drafts.status === 'pending' && <RowsSkeleton height={72} />}
      {drafts.status === 'error' && (
        <QueryError query={drafts}>{messageOf(drafts.error, TEXTS.unknownError)}</QueryError>
      )}
      {drafts.status === 'success' && drafts.data.items.length === 0 && (
        <EmptyState drawing="posts" text="No drafts. What you start is kept here until you publish it." />
      )}
      <Rows label="Drafts" items={drafts.data?.items ?? []} />
      {gone.length > 0 && (
        <Box component="section" mt="xl" aria-labelledby="deleted-drafts">
          <Box component="h2" id="deleted-drafts" fz="sm" lh="sm" mb="xs">
            Deleted in the last {DRAFT_UNDO_DAYS} days
          </Box>
          <Rows label="Deleted drafts" items={gone} />
        </Box>
      )}
    </>
  )
}

const Rows = ({ label, items }: { label: string; items: readonly DraftSummary[] }) =>
  items.length > 0 && (
    <Card flush>
      <ul aria-label={label}>
        {items.map((draft) => (
          <DraftRow key={draft.draft_id} draft={draft} />
        ))}
      </ul>
    </Card>
  )

const titleOf = ({ text, video }: DraftSummary): string =>
  text.trim().split('\n')[0] || video?.filename || 'No caption yet'

function DraftRow({ draft }: { draft: DraftSummary }) {
  const zone = useZone()
  const now = useNow()
  const title = titleOf(draft)
  const params = { draftId: draft.draft_id }
  const isDeleted = draft.deleted_at !== null
  const move = useMutation({
    mutationFn: async () => {
      if (isDeleted) await call('restoreDraft', { params })
      else await call('deleteDraft', { params })
    },
    onSuccess: focusPage,
    onSettled: () => queryClient.invalidateQueries(ANY_DRAFTS),
  })
  const about = [
    draft.video === null ? 'No video' : draft.video.filename,
    accountsWord(draft.accounts),
    `${draft.author}, ${namedDayAndTime(draft.updated_at, { zone, now })}`,
  ]
  return (
    <li className={classes.row} aria-label={title}>
      <Thumbnail src={draft.video?.poster_url ?? null} size="small" />
      <Box miw={0}>
        {isDeleted ? (
          <span className={classes.name}>{title}</span>
        ) : (
          <Link className={classes.name} to={`${PATHS.compose}?draft=${draft.draft_id}`}>
            {title}
          </Link>
        )}
        <Text c="dimmed" size="xs">
          {about.join(' · ')}
        </Text>
      </Box>
      {isDeleted ? (
        <Button
          size="xs"
          variant="default"
          loading={move.isPending}
          aria-label={`Restore ${title}`}
          onClick={() => move.mutate()}
        >
          Restore
        </Button>
      ) : (
        <ActionIcon
          aria-label={`Delete ${title}`}
          title={`Delete ${title}`}
          loading={move.isPending}
          onClick={() => move.mutate()}
        >
          <IconTrash {...ICON} />
        </ActionIcon>
      )}
      {move.error && <InlineAlert>{messageOf(move.error, TEXTS.unknownError)}</InlineAlert>}
    </li>
  )
}
