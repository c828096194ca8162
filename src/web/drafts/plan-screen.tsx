import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { DraftContent } from '#contract/drafts.ts'
import { DraftId } from '#contract/ids.ts'
import { NEW_POSTS_MAX } from '#contract/limits.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { listRefusers } from '#domain/video-check/fix-plan.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_SCHEDULES, nextSlotsQuery, schedulesQuery } from '#web/api/planning.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { accountsQuery, ANY_DRAFTS, ANY_POSTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { Terms } from '#web/composer/publish-bar.tsx'
import { SharedOptions } from '#web/composer/shared-options.tsx'
import { judge } from '#web/composer/use-judged.ts'
import { toNewPost } from '#web/composer/use-publish.ts'
import { momentOf } from '#web/composer/when.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayOf } from '#web/lib/moments.ts'
import { PATHS, planPath } from '#web/lib/paths.ts'
import { useNow } from '#web/lib/use-now.ts'
import { useUid } from '#web/session/browser-store.ts'
import { announce } from '#web/ui/announce.tsx'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { sortFiles, tooManyVideos, type ChosenVideo } from '#web/videos/chosen-files.ts'
import { DropZone } from '#web/videos/drop-zone.tsx'
import { localFileOf } from '#web/videos/local-files.ts'
import { saveDrafts, sayNotes } from '#web/videos/plan-files.ts'
import { findFile, forgetFile, queueUploads, uploadIdOf } from '#web/videos/planned-uploads.ts'
import { VIDEOS_AND_CAPTIONS } from '#web/videos/use-plan-files.ts'
import { uploadFixed } from '#web/videos/upload-video.ts'
import { isCounted, UploadTotals } from '#web/videos/upload-totals.tsx'
import { findUpload, removeUpload, uploads, useUploads, type Upload } from '#web/videos/uploads.ts'
import { PlanAccounts } from './plan-accounts.tsx'
import {
  checkRow,
  checkText,
  commonChecks,
  groupFixes,
  useLive,
  type CheckedRow,
  type PlanFacts,
  type SharedFix,
} from './plan-checks.ts'
import { PlanRowCard, rowId } from './plan-row.tsx'
import { readTiming, withoutCover, type PlanRow, type Timing } from './plan-state.ts'
import { PlanTiming } from './plan-timing.tsx'
import classes from './plan.module.css'
import { planQuery, usePlanRows, type LoadedRow } from './use-plan-rows.ts'

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

/** What the server refused of a post: it holds until the post is changed. */
type Refused = ReadonlyMap<string, { readonly content: DraftContent; readonly texts: readonly string[] }>
const NOTHING_REFUSED: Refused = new Map()

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
    focusField(isCommon ? SHARED : rowId(first.row.draftId))
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
          <Missing uid={uid} checked={checked} kinds={kinds} onChoose={() => choose(null)} />
          <Totals uid={uid} checked={checked} />
        </div>
        <Shared
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
        <section className={classes.bar} aria-label="Schedule">
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
        </section>
      </Stack>
    </DropZone>
  )
}

/** The part of the page that concerns all posts. */
const SHARED = 'plan-shared'

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

const idsOfAccounts = (rows: readonly PlanRow[]) =>
  new Set(rows.flatMap(({ content }) => content.targets.map(({ account_id }) => account_id)))

/** What each row's upload is doing; absent: it has none. */
type UploadKinds = ReadonlyMap<string, string>

function useUploadKinds(uid: string, rows: readonly PlanRow[]): UploadKinds {
  const read = () => rows.map(({ draftId }) => findUpload(uploadIdOf(uid, draftId))?.state.kind ?? '').join()
  const all = useSyncExternalStore(uploads.subscribe, read)
  return useMemo(() => {
    const kinds = all.split(',')
    return new Map(rows.flatMap(({ draftId }, at) => (kinds[at] ? [[draftId, kinds[at]]] : [])))
  }, [all, rows])
}

const BUSY = new Set(['pending', 'checking', 'fixing', 'uploading'])
const isBusyKind = (kind: string | undefined): boolean => kind !== undefined && BUSY.has(kind)
/** A file becomes the row's video by itself. */
const isOnTheWay = (kind: string | undefined): boolean => isBusyKind(kind) || kind === 'done'
/** Another file can take the place of what was there. */
const isFree = (kind: string | undefined): boolean => kind === undefined || !isOnTheWay(kind)

/** Hands each uploaded video to its row. */
function useTakenVideos(
  uid: string,
  kinds: UploadKinds,
  onVideo: (draftId: string, video: Video) => void,
): void {
  const take = useEffectEvent(onVideo)
  useEffect(() => {
    for (const [draftId, kind] of kinds) {
      const id = uploadIdOf(uid, draftId)
      const state = findUpload(id)?.state
      if (kind !== 'done' || state?.kind !== 'done') continue
      take(draftId, state.reply as Video) // the uploads of drafts become videos
      void removeUpload(id)
    }
  }, [uid, kinds])
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

/** Finds out which row a file is for: the one that asked, one that waits for this file, or none. */
function matchFiles(
  uid: string,
  added: readonly ChosenVideo[],
  { missing, wanted }: { missing: readonly CheckedRow[]; wanted: string | null },
) {
  const [only, ...more] = added
  if (wanted !== null && only && more.length === 0)
    return { matched: [{ draftId: wanted, file: only.file }], others: [] }
  const waiting = missing.map(({ row }) => ({ draftId: row.draftId, file: findFile(uid, row.draftId) }))
  const matched: { draftId: string; file: File }[] = []
  const others: ChosenVideo[] = []
  for (const one of added) {
    const at = waiting.findIndex(
      ({ file }) => file?.filename === one.file.name && file.size === one.file.size,
    )
    const [found] = at < 0 ? [] : waiting.splice(at, 1)
    if (found) matched.push({ draftId: found.draftId, file: one.file })
    else others.push(one)
  }
  return { matched, others }
}

type SharedProps = {
  rows: readonly PlanRow[]
  live: Checking['live']
  brands: readonly Brand[]
  accounts: readonly Account[]
  schedules: readonly Schedule[]
  zone: string
  now: number
  timing: Timing
  common: readonly string[]
  disabled: boolean
  /** The button was pressed. */
  isWrong: boolean
  dispatch: ReturnType<typeof usePlanRows>['dispatch']
  onTiming: (timing: Timing) => void
}

/** Accounts, options and times of all posts. */
function Shared(props: SharedProps) {
  const { rows, live, brands, accounts, schedules, zone, now, timing, common, disabled, isWrong } = props
  const { dispatch, onTiming } = props
  const counts = new Map<number, number>()
  for (const { content } of rows)
    for (const { account_id: id } of content.targets) counts.set(id, (counts.get(id) ?? 0) + 1)
  const chosen = accounts.filter(({ account_id }) => counts.has(account_id))
  return (
    <Card>
      <section
        id={SHARED}
        tabIndex={-1}
        className={classes.shared}
        aria-label={`For all ${counted(rows.length, 'post')}`}
      >
        <div>
          <h2>Accounts of all posts</h2>
          <PlanAccounts
            brands={brands}
            accounts={live}
            count={(id) => counts.get(id) ?? 0}
            posts={rows.length}
            hasSets={accounts.length > 1}
            disabled={disabled}
            onSelect={(accountIds, on) =>
              dispatch({ type: 'all', action: { type: on ? 'select' : 'clear', accountIds } })
            }
          />
        </div>
        <div>
          <h2>When they go out</h2>
          <PlanTiming
            {...{ timing, brands, schedules, zone, now, disabled, onTiming }}
            posts={rows.length}
            accounts={chosen}
          />
        </div>
        <Options {...{ rows, live, zone, disabled, dispatch }} />
        {common.length > 0 && (
          <Text
            component="ul"
            size="xs"
            className={classes.common ?? ''}
            c={isWrong ? 'var(--r-failed)' : 'var(--r-attention)'}
            aria-label="What all posts lack"
          >
            {common.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </Text>
        )}
      </section>
    </Card>
  )
}

/** The options that all posts share, by platform: open while one asks for a choice. */
function Options({
  rows,
  live,
  zone,
  disabled,
  dispatch,
}: Pick<SharedProps, 'rows' | 'live' | 'zone' | 'disabled' | 'dispatch'>) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [first] = rows
  if (first === undefined) return null
  const asked = idsOfAccounts(rows)
  // The video and the caption of a post say nothing of the others.
  const content = { ...first.content, video_id: null, text: ANY_TEXT, targets: [] }
  const judged = live
    .filter(({ account }) => asked.has(account.account_id))
    .map((one) => judge({ ...one, selected: true }, { content, video: null, refusal: null, zone }))
  return PLATFORM_IDS.map((platform) => {
    const selected = judged.filter((one) => one.live.account.platform === platform)
    if (selected.length === 0) return null
    const options = first.content.platform_options[platform] ?? null
    const needsChoice = selected.some(
      ({ readiness }) => readiness.kind === 'missing' && readiness.where === 'row',
    )
    const isOpen = toggled.get(platform) ?? needsChoice
    return (
      <div key={platform} className={classes.options}>
        <SharedOptions
          platform={platform}
          selected={selected}
          options={options}
          text={null}
          sharedText=""
          isOfSeveral
          isOpen={isOpen}
          disabled={disabled}
          dispatch={(action) => {
            // It stays open while its fields are used.
            setToggled((before) => new Map(before).set(platform, true))
            dispatch({ type: 'all', action })
          }}
          onOpen={(open) => setToggled((before) => new Map(before).set(platform, open))}
        />
      </div>
    )
  })
}

/** A platform whose title is the caption's first line shows this as each post's. */
const ANY_TEXT = 'The first line of each caption'

type MissingProps = { uid: string; checked: readonly CheckedRow[]; kinds: UploadKinds; onChoose: () => void }

/** After a reload: which files are to be chosen again. */
function Missing({ uid, checked, kinds, onChoose }: MissingProps) {
  const names = checked.flatMap(({ row, video }) => {
    const file = video === null && isFree(kinds.get(row.draftId)) ? findFile(uid, row.draftId) : null
    return file === null ? [] : [file.filename]
  })
  if (names.length < 2) return null
  return (
    <InlineAlert
      tone="attention"
      live={false}
      title={`${counted(names.length, 'video')} are not uploaded yet.`}
      actions={
        <Button size="xs" variant="default" onClick={onChoose}>
          Choose them again
        </Button>
      }
    >
      Choose the same files again to continue: {names.slice(0, NAMES_SHOWN).join(', ')}
      {names.length > NAMES_SHOWN && ` and ${names.length - NAMES_SHOWN} more`}.
    </InlineAlert>
  )
}

const NAMES_SHOWN = 5

/** All uploads of the plan as one, those included that have ended; not shown for a single one. */
function Totals({ uid, checked }: { uid: string; checked: readonly CheckedRow[] }) {
  const running = useUploads()
  const own = checked.flatMap(({ row, video }): Upload[] => {
    const id = uploadIdOf(uid, row.draftId)
    const upload = running.find((one) => one.id === id)
    if (upload) return isCounted(upload) ? [upload] : []
    const file = localFileOf(video?.video_id ?? null)
    if (!video || !file) return []
    const { filename } = video
    return [{ id, uid, page: '', filename, file, state: { kind: 'done', reply: video }, run: ENDED }]
  })
  return own.some(({ state }) => state.kind !== 'done') && own.length > 1 && <UploadTotals uploads={own} />
}

const ENDED = Symbol('ended')

type FixProps = { fix: SharedFix; uid: string; page: string; disabled: boolean }

/** Offers the fix that several videos need once for all of them. */
function FixOffer({ fix: { plan, rows }, uid, page, disabled }: FixProps) {
  const refused = plan.solved.filter(({ level }) => level === 'error')
  const fix = useMutation({
    mutationFn: async () => {
      // One after the other: a conversion takes all that the browser has.
      for (const { row, plan: own } of rows)
        if (row.video) await uploadFixed({ id: uploadIdOf(uid, row.row.draftId), uid, page }, row.video, own)
    },
  })
  return (
    <InlineAlert
      tone="attention"
      live={false}
      title={`${listRefusers(refused)} would refuse ${counted(rows.length, 'video')}.`}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={fix.isPending}
          disabled={disabled}
          onClick={() => fix.mutate()}
        >
          Fix {counted(rows.length, 'video')}
        </Button>
      }
    >
      {[...new Set(refused.map(({ message }) => message))].join(' ')} Your browser can fix{' '}
      {rows.length === 1 ? 'it' : 'them'}: {plan.changes.join(', ')}.
    </InlineAlert>
  )
}

type Submit = {
  savers: ReturnType<typeof usePlanRows>['savers']
  onRefused: (refused: Refused) => void
}

/** Saves the drafts, then makes the posts of those versions: they are made once, however often it is sent. */
function useSubmit(checked: readonly CheckedRow[], { savers, onRefused }: Submit) {
  const navigate = useNavigate()
  const zone = useOwnZone()
  return useMutation({
    mutationFn: async () => {
      onRefused(NOTHING_REFUSED)
      const posts = await Promise.all(
        checked.map(async ({ row, judged }) => {
          const post = toNewPost(row.content, judged)
          const draft = await savers.get(row.draftId)?.flush(true)
          if (post === null || !draft) throw new Error(NOT_SAVED)
          return { ...post, draft }
        }),
      )
      try {
        return await call('createPosts', { body: { posts } })
      } catch (error) {
        if (error instanceof ApiProblem) onRefused(readRefusals(error, checked))
        throw error
      }
    },
    onSuccess: async ({ posts }) => {
      for (const { row } of checked) savers.get(row.draftId)?.stop()
      for (const those of [ANY_POSTS, ANY_DRAFTS, ANY_SCHEDULES]) void queryClient.invalidateQueries(those)
      await navigate(
        `${PATHS.calendar}${firstDay(
          posts.map(({ publish_at }) => publish_at),
          zone,
        )}`,
      )
      announce({ kind: 'done', message: `${counted(posts.length, 'post')} scheduled.` })
    },
  })
}

/** The calendar opens where the first of them is. */
function firstDay(times: readonly (string | null)[], zone: string): string {
  const [first] = times.filter((at) => at !== null).toSorted()
  return first === undefined ? '' : `?date=${dayOf(first, zone)}`
}

const NOT_SAVED =
  'One of these drafts was changed somewhere else, or could not be saved. Reload the page to see what is stored.'

/** `posts.3.text`: the messages of each post that was refused. */
function readRefusals({ errors }: ApiProblem, checked: readonly CheckedRow[]): Refused {
  const refused = new Map<string, { content: DraftContent; texts: readonly string[] }>()
  for (const [field, messages] of Object.entries(errors)) {
    const [, at = ''] = /^posts\.(\d+)(?:\.|$)/.exec(field) ?? []
    const row = at === '' ? undefined : checked[Number(at)]?.row
    if (row === undefined) continue
    const before = refused.get(row.draftId)?.texts ?? []
    refused.set(row.draftId, { content: row.content, texts: [...new Set([...before, ...messages])] })
  }
  return refused
}
