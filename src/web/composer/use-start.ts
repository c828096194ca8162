import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { DeliveryId, PostId, ScheduleId, VideoId } from '#contract/ids.ts'
import { type PostDetail, SavedZonedTime } from '#contract/posts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { accountsQuery, draftQuery, postQuery, videoQuery } from '#web/api/queries.ts'
import { useUid } from '#web/session/browser-store.ts'
import { targetsOfBrand } from '#web/lib/targets-of-brand.ts'
import { EMPTY_CONTENT } from './compose-state.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { copyOfPost, timeOfCopy } from './copy-of-post.ts'
import { earlierRefusal } from './refusal.ts'
import { keptEdit } from './draft-place.ts'
import type { Start } from './use-draft-saver.ts'

type Failed = {
  readonly status: string
  readonly error: Error | null
  readonly isFetching: boolean
  readonly refetch: () => Promise<unknown>
}

export type ReadStart =
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed'; readonly query: Failed }
  | { readonly kind: 'gone'; readonly what: 'draft' | 'post' | 'started' }
  | { readonly kind: 'ready'; readonly start: Start }

type Props = {
  draftId: string
  /** Whether the server has it. */
  isSaved: boolean
  /** The start to go on from instead. */
  again: Start | null
}

/** A composed post begins with a draft, a copy of a post or of a video, changes that this browser kept, or nothing. */
export function useStart({ draftId, isSaved, again }: Props): ReadStart {
  const uid = useUid()
  const [search] = useSearchParams()
  const [wasSaved] = useState(isSaved)
  const [kept] = useState(() => keptEdit(uid, draftId))
  const [copied] = useState(() => ({
    post: PostId.safeParse(search.get('post') ?? undefined).data ?? null,
    video: VideoId.safeParse(search.get('video') ?? undefined).data ?? null,
    to: search.has('failed')
      ? ('failed' as const)
      : (DeliveryId.safeParse(search.get('delivery') ?? undefined).data ?? ('all' as const)),
    plan: planIn(search),
  }))
  const needsDraft = wasSaved && again === null
  const draft = useQuery({ ...draftQuery(draftId), enabled: needsDraft })
  const replaced = useReplacedPost(needsDraft ? draft.data?.content : undefined)
  const needsPost = !wasSaved && copied.post !== null && kept === null
  const post = useQuery({ ...postQuery(copied.post ?? PostId.parse(1)), enabled: needsPost })
  const needsVideo = !wasSaved && copied.video !== null && kept === null
  const video = useQuery(videoQuery(needsVideo ? copied.video : null))
  const accounts = useQuery({ ...accountsQuery(), enabled: needsVideo })

  const ready = (edit: Start['edit'], isChanged: boolean): ReadStart => ({
    kind: 'ready',
    start: { draftId, edit, isChanged },
  })
  if (again !== null) return { kind: 'ready', start: again }
  if (needsDraft) {
    if (draft.data && draft.data.deleted_at === null) {
      if (replaced === 'pending') return { kind: 'pending' }
      const start = mergedStart(draft.data, kept)
      const { replaces = [] } = start.edit.content
      if (replaced === null || replaces.length === 0) return { kind: 'ready', start }
      // Compared with what was refused: what the draft has changed since is not refused any more.
      const refusal = earlierRefusal(replaced, copyOfPost(replaced, replaces).content)
      return { kind: 'ready', start: { ...start, refusal } }
    }
    if (draft.data || isGone(draft.error))
      return kept === null ? { kind: 'gone', what: 'draft' } : ready(kept, true)
    return draft.error === null ? { kind: 'pending' } : { kind: 'failed', query: draft }
  }
  if (kept !== null) return ready(kept, true)
  if (needsPost) {
    if (post.data) {
      const { content, aside } = copyOfPost(post.data, copied.to)
      const publish_at = copied.to === 'all' ? timeOfCopy(post.data, serverNow()) : null
      const edit = { version: 0, content: { ...content, publish_at } }
      const refusal = earlierRefusal(post.data, edit.content)
      const start = { draftId, edit, isChanged: false, aside, refusal }
      return { kind: 'ready', start }
    }
    if (isGone(post.error)) return { kind: 'gone', what: 'post' }
    return post.error === null ? { kind: 'pending' } : { kind: 'failed', query: post }
  }
  if (needsVideo && (video.status === 'pending' || accounts.status === 'pending')) return { kind: 'pending' }
  const targets = targetsOfBrand(accounts.data ?? [], video.data?.brand_id ?? null)
  const content = { ...EMPTY_CONTENT, video_id: copied.video, targets, ...copied.plan }
  return ready({ version: 0, content }, false)
}

/**
 * The post whose failed deliveries a draft replaces, found among the latest failed ones of its first account. null: the draft replaces
 * nothing, or the post is not found, and then the draft opens without the platform's reason.
 */
function useReplacedPost(content: Draft['content'] | undefined): PostDetail | 'pending' | null {
  const replaces = content?.replaces ?? []
  const accountId = content?.targets[0]?.account_id
  const asks = replaces.length > 0 && accountId !== undefined
  const failed = useQuery({
    queryKey: ['posts', 'failed of account', accountId],
    queryFn: asks
      ? ({ signal }) => call('listPosts', { query: { status: 'failed', accountId }, signal })
      : skipToken,
  })
  const found = failed.data?.items.find(({ deliveries }) =>
    deliveries.some(({ delivery_id }) => replaces.includes(delivery_id)),
  )
  const post = useQuery({ ...postQuery(found?.post_id ?? PostId.parse(1)), enabled: found !== undefined })
  if (asks && failed.isPending) return 'pending'
  if (found === undefined) return null
  return post.isPending ? 'pending' : (post.data ?? null)
}

/** The time that the address names, as from the calendar: `at`, in `zone`; with `schedule` it is a slot of that schedule. */
function planIn(search: URLSearchParams): Pick<DraftContent, 'publish_at' | 'schedule'> {
  const time =
    SavedZonedTime.safeParse({ local: search.get('at'), timezone: search.get('zone') }).data ?? null
  const scheduleId = ScheduleId.safeParse(search.get('schedule') ?? undefined).data
  if (time === null || scheduleId === undefined) return { publish_at: time }
  return { publish_at: null, schedule: { schedule_id: scheduleId, place: 'slot', slot: time } }
}

const isGone = (error: Error | null): boolean => error instanceof ApiProblem && error.code === 'not_found'

/** Changes that this browser kept are saved. If another version is stored, saving shows both. */
function mergedStart({ draft_id: draftId, version, content }: Draft, kept: Start['edit'] | null): Start {
  const isSame = kept === null || JSON.stringify(kept.content) === JSON.stringify(content)
  return isSame
    ? { draftId, edit: { version, content }, isChanged: false }
    : { draftId, edit: kept, isChanged: true }
}
