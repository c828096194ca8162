import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import { DraftId } from '#contract/ids.ts'
import { NEW_POSTS_MAX } from '#contract/limits.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { nextSlotsQuery, schedulesQuery } from '#web/api/planning.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { accountsQuery, brandsQuery } from '#web/api/queries.ts'
import { Terms } from '#web/composer/publish-bar.tsx'
import { momentOf } from '#web/composer/when.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS, planPath } from '#web/lib/paths.ts'
import { useNow } from '#web/lib/use-now.ts'
import { useUid } from '#web/session/browser-store.ts'
import { announce } from '#web/ui/announce.tsx'
import { BottomBar } from '#web/ui/bottom-bar.tsx'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { sortFiles, tooManyVideos } from '#web/videos/chosen-files.ts'
import { DropZone } from '#web/videos/drop-zone.tsx'
import { saveDrafts, sayNotes } from '#web/videos/plan-files.ts'
import { findFile, forgetFile, queueUploads } from '#web/videos/planned-uploads.ts'
import { VIDEOS_AND_CAPTIONS } from '#web/videos/use-plan-files.ts'
import {
  checkRow,
  checkText,
  commonChecks,
  groupFixes,
  useLive,
  type CheckedRow,
  type PlanFacts,
} from './plan-checks.ts'
import { PlanRowCard, rowId } from './plan-row.tsx'
import { readTiming, withoutCover, type PlanRow, type Timing } from './plan-state.ts'
import classes from './plan.module.css'
import { planQuery, usePlanRows, type LoadedRow } from './use-plan-rows.ts'
import { idsOfAccounts, SHARED_FIELDS, SharedFields } from './plan-shared.tsx'
import {
  FixOffer,
  isBusyKind,
  isFree,
  isOnTheWay,
  matchFiles,
  MissingFiles,
  PlanTotals,
  type UploadKinds,
  useTakenVideos,
  useUploadKinds,
} from './plan-uploads.tsx'
import { NOTHING_REFUSED, type Refused, useSubmit } from './submit-plan.ts'

const TITLE = 'Plan posts'

/** Several drafts planned together: the videos that were dropped at once, with their captions, accounts and times. */
export function PlanScreen() {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('ids') ?? ''
  // Rows that come and go change the address of the plan that is shown; any other address is another plan.
  const [shown, setShown] = useState({ start: asked, addresses: new Set([asked]) })
  if (!shown.addresses.has(asked)) setShown({ start: asked, addresses: new Set([asked]) })
  const onRows = (draftIds: readonly string[]) => {
    shown.addresses.add(draftIds.join())
    setSearch({ ids: draftIds.join() }, { replace: true, preventScrollReset: true })
  }
  return <OnePlan key={shown.start} draftIds={parseIds(shown.start)} onRows={onRows} />
}

const parseIds = (ids: string): string[] =>
  [...new Set(ids.split(',').flatMap((id) => DraftId.safeParse(id).data ?? []))].slice(0, NEW_POSTS_MAX)

type OnePlanProps = { draftIds: readonly string[]; onRows: (draftIds: readonly string[]) => void }

function OnePlan({ draftIds, onRows }: OnePlanProps) {
  const uid = useUid()
  const plan = useQuery(planQuery(uid, draftIds))
  const brands = useQuery(brandsQuery)
  const accounts = useQuery(accountsQuery())
  const schedules = useQuery(schedulesQuery)
  const failed = [plan, brands, accounts, schedules].find(({ status }) => status === 'error')
  if (plan.data && brands.data && accounts.data && schedules.data)
    return plan.data.length === 0 ? (
      <>
        <PageHeader title={TITLE} />
        <CenteredMessage
          text="These drafts aren't there any more. They were scheduled or deleted."
          action={
            <Button variant="default" component={Link} to={PATHS.calendar}>
              Go to the calendar
            </Button>
          }
        />
      </>
    ) : (
      <Plan
        loaded={plan.data}
        brands={brands.data}
        accounts={accounts.data}
        schedules={schedules.data}
        onRows={onRows}
      />
    )
  return (
    <>
      <PageHeader title={TITLE} />
      {failed ? (
        <QueryError query={failed}>{messageOf(failed.error, TEXTS.unknownError)}</QueryError>
      ) : (
        <RowsSkeleton height={96} />
      )}
    </>
  )
}

type PlanProps = {
  loaded: readonly LoadedRow[]
  brands: readonly Brand[]
  accounts: readonly Account[]
  schedules: readonly Schedule[]
  onRows: OnePlanProps['onRows']
}

function Plan({ loaded, brands, accounts, schedules, onRows }: PlanProps) {
  const uid = useUid()
  const zone = useOwnZone()
  const now = useNow()
  const { rows, dispatch, videos, savers, addVideo, add } = usePlanRows(uid, loaded)
  const [timing, setTiming] = useState(() => readTiming(rows.map(({ content }) => content)))
  const [refused, setRefused] = useState(NOTHING_REFUSED)
  const kinds = useUploadKinds(uid, rows)
  const asked = useMemo(() => idsOfAccounts(rows), [rows])
  const live = useLive(accounts, asked, brands)
  const facts = { accounts, brands, schedules, zone, now: Math.floor(now / 60_000) * 60_000 }
  const checked = useCheckedRows(rows, { live, videos, kinds, refused, facts })
  const common = commonChecks(checked)
  const fixes = groupFixes(checked.filter(({ row }) => !isBusyKind(kinds.get(row.draftId))))

  const scheduleId = timing.kind === 'slots' ? timing.scheduleId : null
  const placed = accounts.filter(({ account_id }) => asked.has(account_id))
  const slots = useQuery(nextSlotsQuery({ scheduleId, accounts: placed, postId: null })).data?.slots ?? []

  const setTimes = (next: Timing) => {
    setTiming(next)
    if (next.kind !== 'daily' || momentOf(next.start) !== null) dispatch({ type: 'time', timing: next })
  }
  useTakenVideos(uid, kinds, (draftId, video) => {
    addVideo(video)
    forgetFile(uid, draftId)
    dispatch({ type: 'row', draftId, action: { type: 'set video', videoId: video.video_id } })
  })

  const input = useRef<HTMLInputElement>(null)
  const [choosingFor, setChoosingFor] = useState<string | null>(null)
  const choose = (draftId: string | null) => {
    setChoosingFor(draftId)
    input.current?.click()
  }
  const page = planPath(rows.map(({ draftId }) => draftId))
  const upload = (draftId: string, file: File) => queueUploads([{ uid, draftId, page, file }])
  const files = useMutation({
    mutationFn: async (chosen: readonly File[]) => {
      const { videos: added, notes } = await sortFiles(chosen)
      sayNotes(notes)
      const missing = checked.filter(({ row, video }) => video === null && isFree(kinds.get(row.draftId)))
      const { matched, others } = matchFiles(uid, added, { missing, wanted: choosingFor })
      for (const { draftId, file } of matched) upload(draftId, file)
      if (others.length === 0) return
      const problem = tooManyVideos(others.length, rows.length)
      if (problem !== null) throw new Error(problem)
      const [like] = rows
      const begin = like
        ? { targets: like.content.targets, platform_options: withoutCover(like.content.platform_options) }
        : {}
      const made = await saveDrafts(others, begin)
      add(
        made.map(({ draftId, version, content }) => ({
          draftId,
          edit: { version, content },
          isChanged: false,
          video: null,
        })),
      )
      dispatch({ type: 'time', timing })
      const all = [...rows.map(({ draftId }) => draftId), ...made.map(({ draftId }) => draftId)]
      onRows(all)
      queueUploads(made.map(({ draftId, file }) => ({ uid, draftId, page: planPath(all), file })))
    },
    onSettled: () => setChoosingFor(null),
  })

  const takeOut = (draftId: string) => {
    dispatch({ type: 'take out', draftId })
    onRows(rows.map((row) => row.draftId).filter((id) => id !== draftId))
    announce({ kind: 'note', message: 'It stays in the drafts.' })
  }
  const submit = useSubmit(checked, { savers, onRefused: setRefused })
  const [wasTried, setTried] = useState(false)
  const stopped = checked.filter(({ checks }) => checks.some(({ level }) => level === 'stop'))
  const onTheWay = checked.filter(({ row }) => isOnTheWay(kinds.get(row.draftId))).length
  const isLoading = checked.some((one) => one.isLoading)
  const press = () => {
    setTried(true)
    const [first] = stopped
    if (first === undefined) return onTheWay === 0 && !isLoading && submit.mutate()
    // What all lack is chosen above them.
    const isCommon = common.length > 0 && first.checks.every((check) => common.includes(checkText(check)))
    focusField(isCommon ? SHARED_FIELDS : rowId(first.row.draftId))
  }
  const isBusy = submit.isPending
  const what = counted(rows.length, 'post')
  return (
    <DropZone onFiles={(dropped) => files.mutate(dropped)}>
      <Stack gap="md" className={classes.page ?? ''}>
        <div>
          <PageHeader
            title={TITLE}
            note={counted(rows.length, 'video')}
            aside={
              rows.length < NEW_POSTS_MAX && (
                <Button
                  variant="default"
                  leftSection={<IconPlus {...ICON} />}
                  disabled={isBusy}
                  onClick={() => choose(null)}
                >
                  Add videos
                </Button>
              )
            }
          />
          <HiddenFileInput
            ref={input}
            label="Video files"
            accept={VIDEOS_AND_CAPTIONS}
            multiple
            disabled={isBusy}
            onFiles={(chosen) => files.mutate(chosen)}
          />
          {files.error !== null && <InlineAlert>{messageOf(files.error, TEXTS.unknownError)}</InlineAlert>}
          <MissingFiles uid={uid} checked={checked} kinds={kinds} onChoose={() => choose(null)} />
          <PlanTotals uid={uid} checked={checked} />
        </div>
        <SharedFields
          {...{ rows, live, brands, accounts, schedules, zone, now, timing, common, dispatch }}
          disabled={isBusy}
          isWrong={wasTried}
          onTiming={setTimes}
        />
        {fixes.map((fix) => (
          <FixOffer key={fix.plan.changes.join()} fix={fix} uid={uid} page={page} disabled={isBusy} />
        ))}
        <Card flush>
          <ul aria-label="Posts">
            {checked.map((one, at) => (
              <PlanRowCard
                key={one.row.draftId}
                checked={one}
                position={at + 1}
                common={common}
                file={findFile(uid, one.row.draftId)}
                slot={slots[at] ?? null}
                dispatch={(action) => {
                  if (action.type === 'plan') setTiming({ kind: 'single' })
                  dispatch({ type: 'row', draftId: one.row.draftId, action })
                }}
                onTakeOut={() => takeOut(one.row.draftId)}
                onChoose={() => choose(one.row.draftId)}
                onRetry={(file) => upload(one.row.draftId, file)}
                disabled={isBusy}
                {...{ brands, live, zone, now }}
              />
            ))}
          </ul>
        </Card>
        {submit.error !== null && (
          <InlineAlert title={`${what} are not scheduled.`}>
            {isUnanswered(submit.error)
              ? 'The server’s answer was lost, so they may be scheduled already. Try again: no post is made twice.'
              : messageOf(submit.error, TEXTS.unknownError)}
          </InlineAlert>
        )}
        <Text component="div" c="dimmed" size="xs">
          <Terms judged={checked.flatMap(({ judged }) => judged)} />
        </Text>
        <BottomBar label="Schedule" ofForm>
          <output className={classes.standing}>
            {standingText({ posts: rows.length, stopped: stopped.length, onTheWay, isLoading })}
            {onTheWay === 0 && common.length > 0 && (
              <Text span inherit c={wasTried ? 'var(--r-failed)' : 'var(--r-attention)'}>
                {`. ${common[0]}`}
              </Text>
            )}
          </output>
          <div className={classes.buttons}>
            <Button variant="default" component={Link} to={PATHS.drafts} disabled={isBusy}>
              Keep as drafts
            </Button>
            <Button
              loading={isBusy}
              disabled={rows.length === 0 || (stopped.length === 0 && (onTheWay > 0 || isLoading))}
              onClick={press}
            >
              {`Schedule ${what}`}
            </Button>
          </div>
        </BottomBar>
      </Stack>
    </DropZone>
  )
}

/** Focuses the first field with an error in this part of the page, or all of it. */
function focusField(id: string): void {
  const part = document.getElementById(id)
  const field = part?.querySelector<HTMLElement>('[aria-invalid="true"]')
  ;(field ?? part)?.focus()
}

function standingText(state: {
  posts: number
  stopped: number
  onTheWay: number
  isLoading: boolean
}): string {
  const { posts, stopped, onTheWay, isLoading } = state
  if (onTheWay > 0) return `${onTheWay} of ${counted(posts, 'video')} on the way`
  if (stopped > 0) return `${posts - stopped} of ${counted(posts, 'post')} ready`
  return isLoading ? 'Asking the platforms …' : `${counted(posts, 'post')} ready`
}

type Checking = {
  readonly live: Parameters<typeof checkRow>[1]
  readonly videos: ReadonlyMap<number, Video>
  readonly kinds: UploadKinds
  readonly refused: Refused
  readonly facts: PlanFacts
}

/** Rows that did not change are not judged again: fifty posts to forty accounts are two thousand. */
function useCheckedRows(rows: readonly PlanRow[], all: Checking): readonly CheckedRow[] {
  const { live, videos, kinds, refused, facts } = all
  const { accounts, brands, schedules, zone, now } = facts
  const known = useMemo(
    () => ({ of: new Map<string, { key: string; row: PlanRow; result: CheckedRow }>(), live, refused }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what is known is forgotten when these change
    [live, refused, accounts, brands, schedules, zone, now],
  )
  return rows.map((row) => {
    const { content, draftId } = row
    const video = content.video_id === null ? null : (videos.get(content.video_id) ?? null)
    const kind = kinds.get(draftId)
    const key = `${video?.video_id ?? ''} ${kind ?? ''}`
    const before = known.of.get(draftId)
    if (before?.row === row && before.key === key) return before.result
    const one = refused.get(draftId)
    const result = checkRow(
      row,
      live,
      { video, isUploading: isOnTheWay(kind), refused: one?.content === content ? one.texts : [] },
      facts,
    )
    known.of.set(draftId, { key, row, result })
    return result
  })
}
