import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useReducer, useState } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { Video } from '#contract/videos.ts'
import { videoQuery } from '#web/api/queries.ts'
import { useZone } from '#web/ui/zone.tsx'
import { useNow } from '#web/lib/use-now.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { coverOf } from '#web/platforms/option-panels.tsx'
import { useChosenFile } from '#web/videos/use-chosen-video.ts'
import { composeReducer, startState, type ComposeAction, type ComposeState } from './compose-state.ts'
import type { DraftSaver } from './draft-saver.ts'
import { useDraftSaver, type Start } from './use-draft-saver.ts'
import { freshEdit } from './edit-start.ts'
import { useEdit } from './use-edit.ts'
import { checksOf } from './checks.ts'
import type { Judged } from './readiness.ts'
import { refusedOf, type Refusal } from './refusal.ts'
import { useJudged } from './use-judged.ts'
import { useFixPlans } from './video-fix.ts'
import { useSimilarPosts } from './use-similar-posts.ts'
import { useFixes } from './use-fixes.ts'
import { useSending } from './use-sending.ts'
import { useShow } from './use-show.ts'
import { usePlan } from './use-plan.ts'
import { actionLabel, editLabel } from './when.ts'

type Props = {
  start: Start
  brands: readonly Brand[]
  accounts: readonly Account[]
  onCreated: (draftId: string) => void
  /** Goes on from other content. */
  onRestart: (start: Start) => void
}

export type Composer = ReturnType<typeof useComposer>

/** The same breakpoint as in the styles. */
const NARROW = '(max-width: 37.49em)'

/** The whole of one composed post: its document, how its accounts stand, and what the button does. */
export function useComposer({ start, brands, accounts, onCreated, onRestart }: Props) {
  const { edited = null } = start
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false })
  const [state, dispatch] = useReducer(composeReducer, start, ({ edit, aside }) =>
    startState(edit.content, aside),
  )
  const { content } = state
  const { video, upload, ...videoActions } = useVideo(state, dispatch)
  const { saver, saveState } = useDraftSaver(start, { content, ...upload }, onCreated)
  const edit = useEdit(edited, content)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const { started } = edit
  const { listed, selected, gone } = useJudged(accounts, { content, video, refusal, started })
  const refused = refusedOf(refusal, content)
  const fixPlans = useFixPlans({ selected, listed }, video)
  const zone = useZone()
  const now = useNow()
  const chosen = usePlan({ content, brands, selected, edited, hasStarted: started.size > 0 }, dispatch)
  const checks = checksOf({
    video,
    ...upload,
    videoFix: fixPlans.ofVideo,
    judged: listed,
    text: content.text,
    gone,
    similar: useSimilarPosts(video, selected, edited?.post.post_id ?? null),
    momentOf: (at) => namedDayAndTime(at, { zone, now }),
    now,
    timeProblem: chosen.problem,
    timeFix: chosen.fix,
    refused,
  })
  const shown = useShow(isNarrow)
  const sending = useSending({
    state,
    chosen,
    checks,
    selected,
    video,
    isUploading: upload.isUploading,
    saver,
    edit,
    isEdit: edited !== null,
    shown,
    refusal,
    setRefusal,
  })
  const captionCheck = checks.find(({ place }) => place?.at === 'caption')
  return {
    draftId: start.draftId,
    content,
    dispatch,
    video,
    file: useChosenFile(start.draftId, video),
    coverMs: coverOf(content.platform_options),
    ...videoActions,
    listed,
    selected,
    gone,
    checks,
    captionError: captionCheck?.text ?? null,
    captionPlatforms: captionPlatforms(selected, listed),
    chosen,
    timeProblem: (sending.wasTried ? chosen.problem : null) ?? refused.time,
    label: edited ? editLabel(chosen.when, edited.post) : newLabel(chosen, content, selected),
    isChecking: chosen.when !== 'draft' && selected.some(({ readiness }) => readiness.kind === 'loading'),
    saver,
    saveState,
    fixing: fixPlans.block,
    ...useFixes(state, dispatch, { setTime: chosen.setTime, fixVideo: fixPlans.want }),
    ...restarts({ start, saver, content, edit, onRestart }),
    edited,
    edit,
    zone,
    isNarrow,
    shown,
    ...sending,
  }
}

type Restarts = Pick<Props, 'start' | 'onRestart'> & {
  saver: DraftSaver
  content: DraftContent
  edit: ReturnType<typeof useEdit>
}

/** Goes on from other content. */
const restarts = ({ start, saver, content, edit, onRestart }: Restarts) => ({
  takeTheirs: ({ version, content: theirs }: Draft) => {
    saver.stop()
    onRestart({ draftId: start.draftId, edit: { version, content: theirs }, isChanged: false })
  },
  saveAsNew: () => {
    saver.stop()
    onRestart({ draftId: newUuid(), edit: { version: 0, content }, isChanged: true })
  },
  discardChanges: () => edit.post && onRestart(freshEdit(edit.post)),
})

function newLabel(
  chosen: Parameters<typeof actionLabel>[0],
  { targets }: DraftContent,
  selected: readonly Judged[],
) {
  const inboxes = selected.filter(({ outgoing }) => outgoing.toInbox).length
  return actionLabel(chosen, targets.length - inboxes, inboxes)
}

/** Those whose limits the shared caption has. */
function captionPlatforms(selected: readonly Judged[], listed: readonly Judged[]) {
  const sharing = selected.filter(({ outgoing }) => !outgoing.hasOwnText && !outgoing.toInbox)
  const judged = sharing.length > 0 ? sharing : listed
  return PLATFORM_IDS.filter((id) => judged.some(({ live }) => live.account.platform === id))
}

/** The video of the document: given by the block that chooses it, or read where a draft names it. */
function useVideo({ content }: ComposeState, dispatch: (action: ComposeAction) => void) {
  const [given, setGiven] = useState<Video | null>(null)
  const [upload, setUpload] = useState(NO_UPLOAD)
  const isKnown = content.video_id === null || given?.video_id === content.video_id
  const stored = useQuery(videoQuery(isKnown ? null : content.video_id))
  const setVideo = useCallback(
    (video: Video | null) => {
      setGiven(video)
      dispatch({ type: 'set video', videoId: video?.video_id ?? null })
    },
    [dispatch],
  )
  return {
    video: content.video_id === null ? null : isKnown ? given : (stored.data ?? null),
    upload: { isUploading: upload.uploading, isAsking: upload.asking },
    setVideo,
    setUpload,
    setCover: (coverMs: number) => dispatch({ type: 'set cover', coverMs }),
  }
}

const NO_UPLOAD = { uploading: false, asking: false }
