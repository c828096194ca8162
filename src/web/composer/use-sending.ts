import { useIsMutating } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { AccountId } from '#contract/ids.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import type { Video } from '#contract/videos.ts'
import { announce } from '#web/ui/announce.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { serverNow } from '#web/lib/server-time.ts'
import { useFocusBack } from '#web/lib/use-focus-back.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { DRAFTS_VIEW, PATHS, type QueueState } from '#web/lib/paths.ts'
import { useFormDraft } from '#web/session/browser-store.ts'
import { PICTURE_UPLOAD } from '#web/videos/upload-picture.ts'
import { idsOf, LAST_SELECTION, LastSelection } from './account-selection.ts'
import type { ComposeState } from './compose-state.ts'
import type { DraftSaver } from './draft-saver.ts'
import type { useEdit } from './use-edit.ts'
import { publishDraft, usePublishPost } from './use-publish-post.ts'
import type { Check } from './checks.ts'
import { validate } from './readiness.ts'
import { readRefusal, type Refusal } from './refusal.ts'
import type { useJudged } from './use-judged.ts'
import type { useShow } from './use-show.ts'
import type { useWhen } from './use-when.ts'

type SendingProps = {
  state: ComposeState
  chosen: ReturnType<typeof useWhen>
  checks: readonly Check[]
  selected: ReturnType<typeof useJudged>['selected']
  video: Video | null
  isUploading: boolean
  saver: DraftSaver
  edit: ReturnType<typeof useEdit>
  isEdit: boolean
  shown: ReturnType<typeof useShow>
  refusal: Refusal | null
  setRefusal: (refusal: Refusal | null) => void
}

/** What the button does: shows what is missing, saves the draft or the changes, or publishes once the video is there. */
export function useSending(props: SendingProps) {
  const { state, chosen, checks, selected, video, isUploading, saver, shown, refusal, setRefusal } = props
  const navigate = useNavigate()
  const [wasTried, setTried] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  // A fixed copy is on its way: now the video before it would go out.
  const isReplacing = chosen.when !== 'draft' && video !== null && isUploading
  // Without it the post would go out with a frame.
  const isAddingPicture = useIsMutating({ mutationKey: PICTURE_UPLOAD }) > 0
  const onSent = useNoteOnLeave(isWaiting, props.isEdit)
  const { last, state: published, publish, clear } = usePublisher(props, onSent)
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

  const send = async (confirmed?: { readonly confirm_repeat: true }) => {
    setRefusal(null)
    const post = newPostOf(state, selected)
    const error = post === null ? null : await publish({ ...post, ...confirmed })
    setWaiting(false)
    if (error !== null) setRefusal(readRefusal(error, state.content, idsOf(selected)))
  }
  const sendNow = useEffectEvent(() => send())
  const isThere = isWaiting && !isUploading
  if (isThere && video === null) setWaiting(false)
  useEffect(() => {
    if (!isThere || video === null) return
    const timer = setTimeout(() => void sendNow())
    return () => clearTimeout(timer)
  }, [isThere, video])
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
    repeat: () => void send({ confirm_repeat: true }),
    leave: clear,
    isWaiting: isWaiting && published.kind !== 'sending',
    cancelWaiting: () => setWaiting(false),
    isBusy,
    lastUsed: last.value,
  }
}

/** Makes the post, or saves its changes; then the queue shows it. */
function usePublisher({ state, saver, edit, isEdit }: SendingProps, onSent: () => void) {
  const navigate = useNavigate()
  const zone = useZone()
  const last = useFormDraft(LAST_SELECTION, LastSelection, NOBODY)
  const onDone = async ({ post_id: postId, publish_at: at }: Post) => {
    onSent()
    if (!isEdit) last.set(state.content.targets.map(({ account_id }) => account_id))
    const made: QueueState = { postId }
    const when = state.content.queue && at && namedDayAndTime(at, { zone, now: serverNow() })
    await navigate(PATHS.queue, { state: made })
    // Another post may have taken the slot that was shown.
    if (when) announce({ kind: 'done', message: `In the queue: ${when}` })
    else if (isEdit) announce({ kind: 'done', message: 'Changes saved.' })
  }
  const done = (post: Post) => void onDone(post)
  const publisher = usePublishPost((post) =>
    isEdit ? edit.save(post, done) : publishDraft(saver, post, done),
  )
  return { ...publisher, last }
}

/** Says of a post that waited for its upload that nothing was sent. @returns what to call once it is sent */
function useNoteOnLeave(isWaiting: boolean, isEdit: boolean): () => void {
  const waits = useRef(false)
  useEffect(() => void (waits.current = isWaiting), [isWaiting])
  useEffect(
    () => () => (waits.current ? announce(isEdit ? LEFT_UNSAVED : LEFT_WAITING) : undefined),
    [isEdit],
  )
  return useCallback(() => void (waits.current = false), [])
}

const NOBODY: readonly AccountId[] = []

const LEFT_WAITING = {
  kind: 'note',
  message: 'You left before the upload ended, so nothing was published. The post is kept as a draft.',
  page: null,
} as const

const LEFT_UNSAVED = {
  kind: 'note',
  message: 'You left before the upload ended, so nothing was changed.',
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
    ...(content.replaces && { replaces: content.replaces }),
    ...(content.queue && { queue: content.queue }),
  }
}
