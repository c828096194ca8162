import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconCalendarTime, IconSend, IconTag, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { accountName, type Account } from '#contract/accounts.ts'
import type { DraftSummary } from '#contract/drafts.ts'
import { DRAFT_UNDO_DAYS } from '#contract/limits.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { accountsQuery, ANY_DRAFTS, brandsQuery, draftsQuery, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { captionLine, draftTitle, NO_CAPTION } from '#web/lib/draft-title.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime, dayOf, namedDayAndTime, timeOfDay } from '#web/lib/moments.ts'
import { draftPath, PATHS } from '#web/lib/paths.ts'
import { selectionBy } from '#web/lib/selection.ts'
import { useNow } from '#web/lib/use-now.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import { BareCheckbox, isWithShift } from '#web/ui/bare-checkbox.tsx'
import { BarButton, BottomBar } from '#web/ui/bottom-bar.tsx'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { NewPostLink } from '#web/ui/new-post-link.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { UndoBar } from '#web/ui/undo-bar.tsx'
import { useZone, ZoneChoice } from '#web/ui/zone.tsx'
import classes from './drafts.module.css'
import type { DraftsGoOut } from './schedule-drafts.ts'

const { nothing, all, toggle, extend } = selectionBy(({ draft_id }: DraftSummary) => draft_id)

const ScheduleDialog = lazyDialog(async () => ({
  default: (await import('./schedule-dialog.tsx')).ScheduleDialog,
}))
const BrandDialog = lazyDialog(async () => ({
  default: (await import('./brand-dialog.tsx')).BrandDialog,
}))

/** The drafts, and those that were deleted and can be restored. */
export function DraftsScreen() {
  const drafts = useQuery(draftsQuery('false'))
  const gone = useQuery(draftsQuery('true')).data?.items ?? []
  const [selection, setSelection] = useState(nothing)
  const [undoable, setUndoable] = useState<readonly DraftSummary[]>([])
  const [asked, setAsked] = useState<DraftsGoOut | 'brand' | null>(null)
  const clear = () => setSelection(nothing)
  const move = useMove(({ to, done }) => {
    setUndoable(to === 'deleted' ? done : [])
    clear()
    focusPage()
  })
  const close = () => {
    setAsked(null)
    clear()
    focusPage()
  }
  const items = drafts.data?.items ?? []
  const chosen = items.filter(({ draft_id }) => selection.items.has(draft_id))
  return (
    <>
      <PageHeader
        title={LABELS.drafts}
        aside={items.length > 0 && <ZoneChoice />}
        {...(items.length > 0 && chosen.length === 0 && { action: <NewPostLink /> })}
      />
      {drafts.status === 'pending' && <RowsSkeleton height={72} />}
      {drafts.status === 'error' && (
        <QueryError query={drafts}>{messageOf(drafts.error, TEXTS.unknownError)}</QueryError>
      )}
      {move.refused !== null && <InlineAlert>{move.refused}</InlineAlert>}
      {drafts.status === 'success' && items.length === 0 && <NoDrafts />}
      {items.length > 0 && (
        <Card flush>
          <Group className={classes.head} gap="0.75rem">
            <BareCheckbox
              aria-label="Select all drafts"
              checked={chosen.length === items.length}
              indeterminate={chosen.length > 0 && chosen.length < items.length}
              onChange={() => (chosen.length === items.length ? clear() : setSelection(all(items)))}
            />
            <span>{counted(items.length, 'draft')}</span>
          </Group>
          <ul aria-label="Drafts">
            {items.map((draft) => (
              <DraftRow
                key={draft.draft_id}
                draft={draft}
                select={
                  <BareCheckbox
                    aria-label={`Select ${draftTitle(draft)}`}
                    checked={selection.items.has(draft.draft_id)}
                    onChange={(event) => {
                      const isRange = isWithShift(event)
                      setSelection((now) => (isRange ? extend(now, items, draft) : toggle(now, draft)))
                    }}
                  />
                }
              >
                <ActionIcon
                  aria-label={`Delete ${draftTitle(draft)}`}
                  title={`Delete ${draftTitle(draft)}`}
                  disabled={move.isPending}
                  onClick={() => move.start('deleted', [draft])}
                >
                  <IconTrash {...ICON} />
                </ActionIcon>
              </DraftRow>
            ))}
          </ul>
        </Card>
      )}
      {gone.length > 0 && (
        <details className={classes.deleted}>
          <summary>
            Deleted in the last {DRAFT_UNDO_DAYS} days ({gone.length})
          </summary>
          <Card flush>
            <ul aria-label="Deleted drafts">
              {gone.map((draft) => (
                <DraftRow key={draft.draft_id} draft={draft}>
                  <Button
                    size="xs"
                    variant="default"
                    disabled={move.isPending}
                    aria-label={`Restore ${draftTitle(draft)}`}
                    onClick={() => move.start('drafts', [draft])}
                  >
                    Restore
                  </Button>
                </DraftRow>
              ))}
            </ul>
          </Card>
        </details>
      )}
      {chosen.length > 0 ? (
        <BottomBar label="Selected drafts">
          <Group gap="sm">
            <output>
              <strong>{chosen.length} selected</strong>
            </output>
            <Button variant="subtle" size="compact-sm" onClick={clear}>
              Clear
            </Button>
          </Group>
          <div className={classes.actions}>
            <BarButton
              color="failed"
              icon={<IconTrash {...ICON} />}
              label="Delete"
              loading={move.isPending}
              onClick={() => move.start('deleted', chosen)}
            />
            <BarButton
              icon={<IconTag {...ICON} />}
              label="Set brand"
              disabled={move.isPending}
              onClick={() => setAsked('brand')}
            />
            <BarButton
              icon={<IconSend {...ICON} />}
              label="Publish now"
              disabled={move.isPending}
              onClick={() => setAsked('now')}
            />
            <BarButton
              variant="filled"
              icon={<IconCalendarTime {...ICON} />}
              label="Schedule"
              disabled={move.isPending}
              onClick={() => setAsked('in slots')}
            />
          </div>
        </BottomBar>
      ) : (
        undoable.length > 0 && (
          <UndoBar
            text={`${counted(undoable.length, 'draft')} deleted.`}
            onUndo={() => move.start('drafts', undoable)}
            onDismiss={() => setUndoable([])}
          />
        )
      )}
      <Suspense>
        {asked === 'brand' && <BrandDialog drafts={chosen} onDone={close} onClose={() => setAsked(null)} />}
        {asked !== null && asked !== 'brand' && (
          <ScheduleDialog drafts={chosen} when={asked} onClose={close} />
        )}
      </Suspense>
    </>
  )
}

const NoDrafts = () => (
  <CenteredMessage
    text="What you start is kept here until you publish it."
    action={
      <Button variant="default" component={Link} to={PATHS.compose}>
        New post
      </Button>
    }
  />
)

type Moved = { readonly to: 'deleted' | 'drafts'; readonly done: readonly DraftSummary[] }

/** Deletes or restores drafts, one after the other. */
function useMove(onMoved: (moved: Moved) => void) {
  const move = useMutation({
    mutationFn: async ({ to, drafts }: { to: Moved['to']; drafts: readonly DraftSummary[] }) => {
      const done: DraftSummary[] = []
      try {
        for (const draft of drafts) {
          const params = { draftId: draft.draft_id }
          if (to === 'deleted') await call('deleteDraft', { params })
          else await call('restoreDraft', { params })
          done.push(draft)
        }
        return { to, done, refused: null }
      } catch (error) {
        const reason = messageOf(error, TEXTS.unknownError)
        const so = to === 'deleted' ? 'deleted' : 'restored'
        const some = `${done.length} of ${counted(drafts.length, 'draft')} ${so}. `
        return { to, done, refused: drafts.length > 1 ? some + reason : reason }
      }
    },
    onSuccess: onMoved,
    onSettled: () => queryClient.invalidateQueries(ANY_DRAFTS),
  })
  return {
    isPending: move.isPending,
    refused: move.data?.refused ?? null,
    start: (to: Moved['to'], drafts: readonly DraftSummary[]) => move.mutate({ to, drafts }),
  }
}

type RowProps = {
  draft: DraftSummary
  select?: ReactNode
  /** Its action. */
  children: ReactNode
}

function DraftRow({ draft, select, children }: RowProps) {
  const zone = useZone()
  const now = useNow()
  const brands = useQuery(brandsQuery).data ?? []
  const accounts = useQuery({ ...accountsQuery(), select: toAccountsById }).data
  const chosen = draft.account_ids.flatMap((id) => accounts?.get(id) ?? [])
  const caption = captionLine(draft.text)
  const brandTitles = brands
    .filter(({ brand_id }) => draft.brand_ids.includes(brand_id))
    .map(({ title }) => title)
  const about = [
    brandTitles.length > 2 ? counted(brandTitles.length, 'brand') : brandTitles.join(', '),
    describeAccounts(draft, chosen),
    draft.video === null ? 'No video yet' : caption === '' && draft.video.filename,
  ].filter(Boolean)
  const today = dayOf(new Date(now).toISOString(), zone)
  const changed =
    dayOf(draft.updated_at, zone) === today
      ? `today, ${timeOfDay(draft.updated_at, zone)}`
      : dayAndTime(draft.updated_at, zone)
  return (
    <li className={classes.row} aria-label={draftTitle(draft)}>
      {select}
      <Thumbnail src={draft.video?.poster_url ?? null} size="small" />
      <div className={classes.what}>
        {draft.deleted_at === null ? (
          <Link
            className={classes.name}
            dir="auto"
            data-empty={caption === '' || undefined}
            to={draftPath(draft.draft_id)}
          >
            {caption || NO_CAPTION}
          </Link>
        ) : (
          <span className={classes.name} dir="auto" data-empty={caption === '' || undefined}>
            {caption || NO_CAPTION}
          </span>
        )}
        <Text c="dimmed" size="xs" className={classes.about ?? ''}>
          {chosen.length > 0 && (
            <span className={classes.accounts}>
              {chosen.slice(0, AVATARS_SHOWN).map((account) => (
                <AccountAvatar key={account.account_id} of={account} />
              ))}
            </span>
          )}
          {about.map((part, at) => (
            <span key={part || at}>
              {at > 0 && ' · '}
              <bdi>{part}</bdi>
            </span>
          ))}
        </Text>
      </div>
      <div className={classes.times}>
        <When draft={draft} zone={zone} now={now} />
        <Text c="dimmed" size="xs">
          Changed {changed}
        </Text>
      </div>
      {children}
    </li>
  )
}

const AVATARS_SHOWN = 5

const toAccountsById = (accounts: readonly Account[]) =>
  new Map(accounts.map((account) => [account.account_id, account]))

/** "@nova", "2 TikTok accounts", "6 TikTok and 34 Instagram accounts"; the number alone where some are not linked any more. */
function describeAccounts({ accounts: count }: DraftSummary, chosen: readonly Account[]): string {
  if (count === 0) return 'No accounts yet'
  const [first] = chosen
  if (first === undefined || chosen.length < count) return counted(count, 'account')
  if (count === 1) return accountName(first)
  const byPlatform = PLATFORM_IDS.flatMap((id) => {
    const own = chosen.filter(({ platform }) => platform === id).length
    return own === 0 ? [] : `${own} ${PLATFORM_NAMES[id]}`
  })
  return `${byPlatform.join(' and ')} accounts`
}

function When({
  draft: { planned_for: at, place },
  zone,
  now,
}: {
  draft: DraftSummary
  zone: string
  now: number
}) {
  if (at === null)
    return (
      <Text size="xs" {...(place === null && { c: 'dimmed' })}>
        {place === null ? 'No time yet' : PLACES[place]}
      </Text>
    )
  const time = namedDayAndTime(at, { zone, now })
  return Date.parse(at) < now ? (
    <Text size="xs" c="var(--r-attention)">
      {time} has passed
    </Text>
  ) : (
    <Text size="xs">{time}</Text>
  )
}

const PLACES = {
  next: 'Next free slot',
  top: 'First slot of its schedule',
  bottom: 'End of its schedule',
} as const
