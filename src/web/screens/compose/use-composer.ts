import { useMediaQuery } from '@mantine/hooks'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import type { Draft } from '#contract/drafts.ts'
import type { AccountId } from '#contract/ids.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import type { Video } from '#contract/videos.ts'
import { videoQuery } from '#web/client/queries.ts'
import { announce } from '#web/components/feedback/announce.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import { useFocusBack } from '#web/lib/dom/use-focus-back.ts'
import { useNow } from '#web/lib/dom/use-now.ts'
import { namedDayAndTime } from '#web/lib/format/moments.ts'
import { newDraftId } from '#web/lib/new-draft-id.ts'
import { DRAFTS_VIEW, PATHS, type QueueState } from '#web/lib/paths.ts'
import { coverOf } from '#web/platforms/option-panels.tsx'
import { useFormDraft } from '#web/session/browser-store.ts'
import { PICTURE_UPLOAD } from '#web/video/picture/upload-picture.ts'
import { useChosenFile } from '#web/video/upload/use-chosen-video.ts'
import { idsOf, LAST_SELECTION, LastSelection } from './accounts/selection.ts'
import {
  composeReducer,
  startState,
  type ComposeAction,
  type ComposeState,
} from './document/compose-state.ts'
import type { DraftSaver } from './drafts/draft-saver.ts'
import { useDraftSaver, type Start } from './drafts/use-draft-saver.ts'
import { usePublishPost } from './publish/use-publish-post.ts'
import { checksOf, type Check } from './readiness/checks.ts'
import { validate, type Judged } from './readiness/readiness.ts'
import { readRefusal, refusedOf, type Refusal } from './readiness/refusal.ts'
import { useJudged } from './readiness/use-judged.ts'
import { useFixPlans } from './readiness/video-fix.ts'
import { useSimilarPosts } from './readiness/use-similar-posts.ts'
import { useFixes } from './use-fixes.ts'
import { useShow } from './use-show.ts'
import { useWhen } from './when/use-when.ts'
import { actionLabel } from './when/when.ts'

type Props = {
  start: Start
  accounts: readonly Account[]
  onCreated: (draftId: string) => void
  /** Goes on from other content. */
  onRestart: (start: Start) => void
}

export type Composer = ReturnType<typeof useComposer>

/** The same breakpoint as in the styles. */
const NARROW = '(max-width: 37.49em)'

/** The whole of one composed post: its document, how its accounts stand, and what the button does. */
export function useComposer({ start, accounts, onCreated, onRestart }: Props) {
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false })
  const [state, dispatch] = useReducer(composeReducer, start, ({ edit, aside }) =>
    startState(edit.content, aside),
  )
  const { content } = state
  const { video, upload, ...videoActions } = useVideo(state, dispatch)
  const { saver, saveState } = useDraftSaver(start, { content, ...upload }, onCreated)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const { listed, selected, gone } = useJudged(accounts, { content, video, refusal })
  const refused = refusedOf(refusal, content)
  const fixPlans = useFixPlans({ selected, listed }, video)
  const zone = useZone()
  const now = useNow()
  const chosen = useWhen(content.publish_at, (publishAt) => dispatch({ type: 'set time', publishAt }))
  const checks = checksOf({
    video,
    ...upload,
    videoFix: fixPlans.ofVideo,
    judged: listed,
    text: content.text,
    gone,
    similar: useSimilarPosts(video, selected),
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
    shown,
    refusal,
    setRefusal,
  })
  const captionCheck = checks.find(({ place }) => place?.at === 'caption')
  const inboxes = selected.filter(({ outgoing }) => outgoing.toInbox).length
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
    label: actionLabel(chosen, content.targets.length - inboxes, inboxes),
    isChecking: chosen.when !== 'draft' && selected.some(({ readiness }) => readiness.kind === 'loading'),
    saver,
    saveState,
    fixing: fixPlans.block,
    ...useFixes(state, dispatch, { setTime: chosen.setTime, fixVideo: fixPlans.want }),
    takeTheirs: ({ version, content: theirs }: Draft) => {
      saver.stop()
      onRestart({ draftId: start.draftId, edit: { version, content: theirs }, isChanged: false })
    },
    saveAsNew: () => {
      saver.stop()
      onRestart({ draftId: newDraftId(), edit: { version: 0, content }, isChanged: true })
    },
    zone,
    isNarrow,
    shown,
    ...sending,
  }
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

type SendingProps = {
  state: ComposeState
  chosen: ReturnType<typeof useWhen>
  checks: readonly Check[]
  selected: ReturnType<typeof useJudged>['selected']
  video: Video | null
  isUploading: boolean
  saver: DraftSaver
  shown: ReturnType<typeof useShow>
  refusal: Refusal | null
  setRefusal: (refusal: Refusal | null) => void
}

/** What the button does: shows what is missing, saves the draft, or publishes it once its video is there. */
function useSending(props: SendingProps) {
  const { state, chosen, checks, selected, video, isUploading, saver, shown, refusal, setRefusal } = props
  const navigate = useNavigate()
  const last = useFormDraft(LAST_SELECTION, LastSelection, NOBODY)
  const [wasTried, setTried] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  // A fixed copy is on its way: now the video before it would go out.
  const isReplacing = chosen.when !== 'draft' && video !== null && isUploading
  // Without it the post would go out with a frame.
  const isAddingPicture = useIsMutating({ mutationKey: PICTURE_UPLOAD }) > 0
  const waits = useRef(false)
  const {
    state: published,
    publish,
    clear,
  } = usePublishPost(saver, ({ post_id: postId }: Post) => {
    waits.current = false
    last.set(state.content.targets.map(({ account_id }) => account_id))
    const made: QueueState = { postId }
    void navigate(PATHS.queue, { state: made })
  })
  const showRefused = useEffectEvent(() => {
    const place = checks.find(({ level }) => level === 'refused')?.place
    if (place) shown.show(place)
  })
  useEffect(() => (refusal === null ? undefined : showRefused()), [refusal])
  // A change makes the last refusal outdated.
  const lastContent = useRef(state.content)
  useEffect(() => {
    if (lastContent.current !== state.content) clear()
    lastContent.current = state.content
  }, [state.content, clear])

  const send = async () => {
    setRefusal(null)
    const post = newPostOf(state, selected)
    const error = post === null ? null : await publish(post)
    setWaiting(false)
    if (error !== null) setRefusal(readRefusal(error, state.content, idsOf(selected)))
  }
  const sendNow = useEffectEvent(send)
  const isThere = isWaiting && !isUploading
  if (isThere && video === null) setWaiting(false)
  useEffect(() => {
    if (!isThere || video === null) return
    const timer = setTimeout(() => void sendNow())
    return () => clearTimeout(timer)
  }, [isThere, video])
  useEffect(() => void (waits.current = isWaiting), [isWaiting])
  useEffect(() => () => (waits.current ? announce(LEFT_WAITING) : undefined), [])
  const isBusy = published.kind === 'sending' || isWaiting
  const noteFocus = useFocusBack(isBusy)
  const press = () => {
    if (isBusy || isAddingPicture) return
    noteFocus()
    setTried(true)
    if (chosen.when === 'draft') return void saveDraft(saver, navigate)
    if (isReplacing) return
    const missing = checks.find(({ level }) => level === 'stop')
    if (missing) return shown.show(missing.place ?? { at: 'video' })
    if (video === null) return setWaiting(true)
    void send()
  }
  return {
    press,
    wasTried,
    isAddingPicture,
    isReplacing,
    published,
    isWaiting: isWaiting && published.kind !== 'sending',
    cancelWaiting: () => setWaiting(false),
    isBusy,
    lastUsed: last.value,
  }
}

const NOBODY: readonly AccountId[] = []

const LEFT_WAITING = {
  kind: 'note',
  message: 'You left before the upload ended, so nothing was published. The post is kept as a draft.',
  page: null,
} as const

async function saveDraft(saver: DraftSaver, navigate: ReturnType<typeof useNavigate>): Promise<void> {
  const saved = await saver.flush()
  if (saved === null) return
  await navigate(`${PATHS.compose}?${DRAFTS_VIEW}`)
  announce({ kind: 'done', message: 'Draft saved.' })
}

/** The request; null: something is missing after all. */
function newPostOf({ content }: ComposeState, selected: SendingProps['selected']): NewPost | null {
  if (content.video_id === null) return null
  const targets = selected.map(({ live, outgoing }) => {
    const options = validate(live, outgoing)
    return options.ok
      ? {
          account_id: live.account.account_id,
          options: options.info,
          ...(outgoing.hasOwnText && { text: outgoing.text }),
        }
      : null
  })
  const valid = targets.filter((target) => target !== null)
  if (valid.length < targets.length) return null
  return {
    video_id: content.video_id,
    text: content.text,
    targets: valid,
    ...(content.publish_at !== null && { publish_at: content.publish_at }),
  }
}
