import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useReducer, useState } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { Video } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { queryClient, videoQuery } from '#web/api/queries.ts'
import { useZone } from '#web/ui/zone.tsx'
import { useNow } from '#web/lib/use-now.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { coverOf } from '#web/platforms/option-panels.tsx'
import { uploadFixed } from '#web/videos/upload-video.ts'
import { useUpload } from '#web/videos/use-upload.ts'
import { composeReducer, startState } from './compose-state.ts'
import type { DraftSaver } from './draft-saver.ts'
import { useDraftSaver, type Start } from './use-draft-saver.ts'
import { freshEdit } from './edit-start.ts'
import { useEdit } from './use-edit.ts'
import { checksOf } from './checks.ts'
import type { Judged } from './readiness.ts'
import { refusedOf, type Refusal } from './refusal.ts'
import { useJudged } from './use-judged.ts'
import { fixPlansOf } from './video-fix.ts'
import { useSimilarPosts } from './use-similar-posts.ts'
import { useFixes } from './use-fixes.ts'
import { useSending } from './use-sending.ts'
import { useShow } from './use-show.ts'
import { fileOfPost, isAsking, isOnItsWay } from './use-post-video.ts'
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
  const { data: video = null } = useQuery(videoQuery(content.video_id))
  const { place: uploadPlace, upload } = useUpload<Video>(start.draftId)
  const isUploading = isOnItsWay(upload)
  const { saver, saveState } = useDraftSaver(start, { content, isUploading }, onCreated)
  const edit = useEdit(edited, content)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const { started } = edit
  const { listed, selected, gone } = useJudged(accounts, { content, video, refusal, started })
  const refused = refusedOf(refusal, content)
  const fixPlans = fixPlansOf({ selected, listed }, video)
  const zone = useZone()
  const now = useNow()
  const chosen = usePlan({ content, brands, selected, edited, hasStarted: started.size > 0 }, dispatch)
  const checks = checksOf({
    video,
    isUploading,
    isAsking: isAsking(upload),
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
  const fixVideo = (plan: FixPlan) => {
    if (video === null) return
    void uploadFixed(uploadPlace, video, plan)
    // On a phone its progress is far from the button.
    document.getElementById('compose-video')?.scrollIntoView({ block: 'nearest' })
  }
  const shown = useShow(isNarrow)
  const sending = useSending({
    state,
    chosen,
    checks,
    selected,
    video,
    isUploading,
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
    file: fileOfPost(upload, video),
    coverMs: coverOf(content.platform_options),
    setVideo: (next: Video | null) => {
      if (next !== null) queryClient.setQueryData(videoQuery(next.video_id).queryKey, next)
      dispatch({ type: 'set video', videoId: next?.video_id ?? null })
    },
    setCover: (coverMs: number) => dispatch({ type: 'set cover', coverMs }),
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
    planFile: fixPlans.ofFile,
    ...useFixes(state, dispatch, { setTime: chosen.setTime, fixVideo }),
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
