import { Box, Button, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconDeviceMobile } from '@tabler/icons-react'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useReducer, useState, type KeyboardEvent, type RefObject } from 'react'
import { Link } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { Video } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { videoQuery } from '#web/api/queries.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { PATHS } from '#web/lib/paths.ts'
import { useFocusBack } from '#web/lib/use-focus-back.ts'
import { useNow } from '#web/lib/use-now.ts'
import { coverOf, OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { PICTURE_UPLOAD } from '#web/videos/upload-picture.ts'
import { uploadFixed } from '#web/videos/upload-video.ts'
import { useUpload } from '#web/videos/use-upload.ts'
import { idsOf } from './account-selection.ts'
import { listChecks, isInTheWay, type Place } from './checks.ts'
import { ChecksList } from './checks-list.tsx'
import { ComposeHeader } from './compose-header.tsx'
import { composeReducer, startState } from './compose-state.ts'
import classes from './composer.module.css'
import { Conflict } from './draft-conflict.tsx'
import { EditNotes } from './edit-notes.tsx'
import type { Edited } from './edit-of-post.ts'
import type { DraftSaver, SaveState } from './draft-saver.ts'
import { freshEdit } from './edit-start.ts'
import { PostFields } from './post-fields.tsx'
import { Preview } from './preview.tsx'
import { PublishBar } from './publish-bar.tsx'
import { SendingNotice } from './sending-notice.tsx'
import { lastAfter } from './spread.ts'
import { SpreadFields } from './spread-fields.tsx'
import { Sheet } from './publish-sheet.tsx'
import { contextOf, type Judged } from './readiness.ts'
import { readRefusal, remainingRefusals, type Refusal } from './refusal.ts'
import { SavedNote } from './saved-note.tsx'
import { useDraftSaver, type Start } from './use-draft-saver.ts'
import { useEdit } from './use-edit.ts'
import { useFixes } from './use-fixes.ts'
import { useJudged } from './use-judged.ts'
import { usePlan } from './use-plan.ts'
import { fileOfPost, isAsking, isOnItsWay } from './use-post-video.ts'
import { toNewPost, usePublish } from './use-publish.ts'
import { useSending } from './use-sending.ts'
import { useShow } from './use-show.ts'
import { useSimilarPosts } from './use-similar-posts.ts'
import { fixPlansOf } from './video-fix.ts'
import { WhenControl } from './when-control.tsx'
import { actionLabel, editLabel, fullMoment, namedMoment, type When } from './when.ts'

type Props = {
  start: Start
  /** The button that was pressed for this content is gone. */
  isRestarted: boolean
  brands: readonly Brand[]
  accounts: readonly Account[]
  /** The draft is saved for the first time. */
  onCreated: (draftId: string) => void
  /** Goes on from other content. */
  onRestart: (start: Start) => void
}

/** The same breakpoint as in the styles. */
const NARROW = '(max-width: 37.49em)'

/** One post: its video, captions, accounts and time. */
export function Composer({ start, isRestarted, brands, accounts, onCreated, onRestart }: Props) {
  const { draftId, edited = null } = start
  const isEdit = edited !== null
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false })
  const zone = useOwnZone()
  const now = useNow()

  const [state, dispatch] = useReducer(composeReducer, start, ({ edit, aside }) =>
    startState(edit.content, aside),
  )
  const { content } = state
  const { data: video = null, isLoading: isReadingVideo } = useQuery(videoQuery(content.video_id))
  const { place: uploadPlace, upload } = useUpload<Video>(draftId)
  const isUploading = isOnItsWay(upload, video)
  const { saver, saveState } = useDraftSaver(start, { content, isUploading }, onCreated)
  const edit = useEdit(edited, content)
  const hasStarted = edit.started.size > 0

  const [refusal, setRefusal] = useState<Refusal | null>(start.refusal ?? null)
  const refused = remainingRefusals(refusal, content)
  const targets = new Set(content.targets.map(({ account_id }) => account_id))
  const chosen = accounts.filter(({ account_id: id }) => targets.has(id) && !edit.started.has(id))
  const plan = usePlan({ content, brands, chosen, edited, hasStarted }, dispatch)
  const { listed, selected, gone } = useJudged(accounts, {
    content,
    video,
    refusal,
    started: edit.started,
    goesOutAt: plan.moment?.at ?? new Date(now).toISOString(),
  })
  const fixPlans = fixPlansOf({ selected, listed }, video)
  const checks = listChecks({
    video,
    isUploading,
    isAsking: isAsking(upload),
    videoFix: fixPlans.ofVideo,
    judged: listed,
    text: content.text,
    gone,
    similar: useSimilarPosts(video, selected, {
      moment: plan.problem === null ? plan.moment : null,
      own: edited?.post.post_id ?? null,
    }),
    momentOf: (at) => namedDayAndTime(at, { zone, now }),
    now,
    timeProblem: plan.problem,
    timeFix: plan.fix,
    refused,
  })
  const fixVideo = (fixPlan: FixPlan) => {
    if (video === null) return
    void uploadFixed(uploadPlace, video, fixPlan)
    // On a phone its progress is far from the button.
    document.getElementById('compose-video')?.scrollIntoView({ block: 'nearest' })
  }
  const textOfCheck = (key: string) => checks.find((check) => check.key === key)?.text ?? null
  const { fix, undoFix } = useFixes(state, dispatch, { setTime: plan.setTime, fixVideo })

  const shown = useShow(isNarrow)
  const { captionField } = shown
  /** Whether fields say what is wrong with them: not before the user was led to one, or pressed the button. */
  const [wasTried, setTried] = useState(false)
  const show = (place: Place) => {
    setTried(true)
    shown.show(place)
  }
  useEffect(() => {
    if (isRestarted) captionField.current?.focus()
  }, [captionField, isRestarted])
  const showRefused = useEffectEvent(() => {
    const place = checks.find(({ level }) => level === 'refused')?.place
    if (place) shown.show(place)
  })
  useEffect(() => {
    if (refusal !== null) showRefused()
  }, [refusal])

  const { publish, saveDraft, lastUsed } = usePublish({ content, saver, edit, isEdit })
  const sending = useSending({
    content,
    hasVideo: video !== null,
    isUploading,
    publish: async (isRepeat) => {
      setRefusal(null)
      const post = toNewPost(content, selected)
      if (post === null) return { kind: 'idle' }
      const outcome = await publish({ ...post, ...(isRepeat && { confirm_repeat: true }) })
      if (outcome.kind === 'failed') setRefusal(readRefusal(outcome.error, content, idsOf(selected)))
      return outcome
    },
    leftNote: isEdit ? LEFT_UNSAVED : LEFT_WAITING,
  })
  const isBusy = sending.state.kind === 'sending' || sending.state.kind === 'waiting'
  // A fixed copy is on its way: now the video before it would go out.
  const isReplacing = plan.when !== 'draft' && video !== null && isUploading
  // Without it the post would go out with a frame.
  const isAddingPicture = useIsMutating({ mutationKey: PICTURE_UPLOAD }) > 0
  const isChecking =
    plan.when !== 'draft' &&
    (isReadingVideo || selected.some(({ readiness }) => readiness.kind === 'loading'))
  /** The key of what was missing at the last press. What is wrong with the time is said at its field, which opens. */
  const [missingKey, setMissingKey] = useState<string | null>(null)
  const missing =
    checks.find(({ key, level }) => level === 'stop' && key === missingKey && key !== 'time') ?? null
  const noteFocus = useFocusBack(isBusy)
  const press = () => {
    if (isBusy || isAddingPicture) return
    noteFocus()
    setTried(true)
    if (plan.when === 'draft') return void saveDraft()
    if (isReplacing) return
    const stop = checks.find(({ level }) => level === 'stop')
    setMissingKey(stop?.key ?? null)
    if (stop) return show(stop.place ?? { at: 'video' })
    if (video === null) return sending.wait()
    void sending.send()
  }
  const pressKeys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return
    event.preventDefault()
    press()
  }

  const coverMs = coverOf(content.platform_options)
  const [previewing, setPreviewing] = useState(false)
  const preview = (
    <Preview
      accounts={selected.map(({ live, outgoing, readiness }) => ({
        account: live.account,
        text: OPTION_PANELS[live.account.platform].shownText(outgoing.options, contextOf(live, outgoing)),
        needsUser: isInTheWay(readiness),
        pictureId: OPTION_PANELS[live.account.platform].pictureId(outgoing.options),
      }))}
      selected={shown.previewed}
      onSelect={shown.setPreviewed}
      video={video}
      coverMs={coverMs}
      file={fileOfPost(upload, video)}
    />
  )
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a shortcut for the button below
    <Stack gap={0} className={classes.composer ?? ''} onKeyDown={pressKeys}>
      <ComposeHeader
        isEdit={isEdit}
        note={
          isEdit ? (
            edit.isChanged && (
              <Text span c="dimmed" size="xs">
                Not saved yet
              </Text>
            )
          ) : (
            <SavedNote state={saveState} zone={zone} now={now} onRetry={() => void saver.flush()} />
          )
        }
        action={
          isNarrow && (
            <Button
              variant="default"
              flex="none"
              leftSection={<IconDeviceMobile {...ICON} />}
              aria-haspopup="dialog"
              onClick={() => setPreviewing(true)}
            >
              Preview
            </Button>
          )
        }
      />
      <Versions {...{ start, content, edit, saver, saveState, captionField, onRestart }} />
      <div className={classes.columns}>
        <PostFields
          draftId={draftId}
          video={video}
          planFile={fixPlans.ofFile}
          content={content}
          dispatch={dispatch}
          brands={brands}
          listed={listed}
          selected={selected}
          errors={{
            video: wasTried ? textOfCheck('video') : null,
            caption: checks.find(({ place }) => place?.at === 'caption')?.text ?? null,
            accounts: wasTried ? textOfCheck('accounts') : null,
          }}
          lastUsed={lastUsed}
          shown={shown}
          hasStarted={hasStarted}
          isNew={!isEdit}
          disabled={isBusy}
        />
        <Stack gap="lg" miw={0} className={classes.side ?? ''}>
          {!isNarrow && preview}
          <ChecksList
            checks={checks}
            accounts={selected.length}
            hasVideo={video !== null}
            onShow={show}
            onFix={fix}
            onUndo={undoFix}
            disabled={isBusy}
          />
        </Stack>
      </div>
      <PublishBar
        judged={selected}
        gone={gone}
        when={plan.when}
        missing={missing}
        label={
          edited
            ? editLabel(plan.when, edited.post)
            : newLabel(plan.when, plan.moment && namedMoment(plan.moment, { zone, now }), selected, content)
        }
        moment={plan.moment && (isNarrow ? namedMoment(plan.moment, { zone, now }) : fullMoment(plan.moment))}
        lastAfter={lastAfter(content.targets)}
        isWhenOpen={shown.isWhenOpen}
        onWhen={shown.setWhenOpen}
        control={
          <WhenControl
            chosen={plan}
            brands={new Map(brands.map(({ brand_id, title }) => [brand_id, title]))}
            isNew={!isEdit}
            note={scheduleNote(edited, content)}
            problem={(wasTried ? plan.problem : null) ?? refused.time}
            spread={
              content.targets.length > 1 && (
                <SpreadFields targets={content.targets} disabled={isBusy} dispatch={dispatch} />
              )
            }
            disabled={isBusy}
            now={now}
          />
        }
        isNarrow={isNarrow}
        isBusy={sending.state.kind === 'sending'}
        disabled={
          isAddingPicture ||
          isReplacing ||
          isChecking ||
          sending.state.kind === 'waiting' ||
          saveState.kind === 'conflict' ||
          edit.theirs !== null
        }
        onPress={press}
        onLeaveOut={(accountIds) => dispatch({ type: 'clear', accountIds })}
      >
        <SendingNotice
          state={sending.state}
          judged={selected}
          isEdit={isEdit}
          onRepeat={() => void sending.send(true)}
          onStop={sending.stop}
        />
      </PublishBar>
      {isNarrow && previewing && (
        <Sheet title="Preview" onClose={() => setPreviewing(false)}>
          {preview}
        </Sheet>
      )}
    </Stack>
  )
}

type VersionsProps = Pick<Props, 'start' | 'onRestart'> & {
  content: DraftContent
  edit: ReturnType<typeof useEdit>
  saver: DraftSaver
  saveState: SaveState
  captionField: RefObject<HTMLElement | null>
}

/** Shows both versions, and lets the user choose, where the stored one or the one kept in this browser differs. */
function Versions({ start, content, edit, saver, saveState, captionField, onRestart }: VersionsProps) {
  const { draftId, edited = null } = start
  const zone = useOwnZone()
  const now = useNow()
  return (
    <>
      {edited !== null && (edit.theirs !== null || edited.isRestored) && (
        <Box mb="1.25rem">
          <EditNotes
            before={edited.post}
            theirs={edit.theirs}
            isRestored={edited.isRestored}
            zone={zone}
            now={now}
            onKeepMine={edit.keepMine}
            onDiscard={() => edit.post && onRestart(freshEdit(edit.post))}
          />
        </Box>
      )}
      {saveState.kind === 'conflict' && (
        <Box mb="1.25rem">
          <Conflict
            mine={content}
            theirs={saveState.theirs}
            zone={zone}
            onKeepMine={() => {
              captionField.current?.focus()
              void saver.keepMine()
            }}
            onTakeTheirs={({ version, content: theirs }) => {
              saver.stop()
              onRestart({ draftId, edit: { version, content: theirs }, isChanged: false })
            }}
            onSaveAsNew={() => {
              saver.stop()
              onRestart({ draftId: newUuid(), edit: { version: 0, content }, isChanged: true })
            }}
            queue={
              <Button size="xs" variant="default" component={Link} to={PATHS.queue}>
                Go to the queue
              </Button>
            }
          />
        </Box>
      )}
    </>
  )
}

const LEFT_WAITING =
  'You left before the upload ended, so nothing was published. The post is kept as a draft.'
const LEFT_UNSAVED = 'You left before the upload ended, so nothing was changed.'

function newLabel(
  when: When,
  short: string | null,
  selected: readonly Judged[],
  { targets }: DraftContent,
): string {
  const inboxes = selected.filter(({ outgoing }) => outgoing.toInbox).length
  return actionLabel({ when, short }, targets.length - inboxes, inboxes)
}

/** A post of a schedule that gets a time of its own gives its slot to others. */
function scheduleNote(edited: Edited | null, content: DraftContent): string {
  if (edited?.post.schedule_id == null || content.schedule !== undefined) return ''
  const isMoved = JSON.stringify(content.publish_at) !== JSON.stringify(edited.before.publish_at)
  return isMoved ? 'It leaves its schedule, and its slot is free again.' : 'Its schedule gave it this time.'
}
