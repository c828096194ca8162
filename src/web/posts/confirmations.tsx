import { useMutation, useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery, DeliveryStatus } from '#contract/deliveries.ts'
import type { ScheduleId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post, SchedulePlace } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_SCHEDULES, nextSlotsQuery, schedulesQuery } from '#web/api/planning.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { useDeliveryAction } from './delivery-actions.ts'
import { titleOf } from './post.ts'
import { dropPost } from './posts-cache.ts'

export type PlaceAsked = Extract<SchedulePlace['place'], 'top' | 'bottom'>

/** All of the post waits for a time that can be changed. */
export function isPlanned(post: Post): boolean {
  const alive = aliveOf(post)
  return post.publish_at !== null && alive.length > 0 && alive.every(({ editable }) => editable)
}

/** The posting schedule in which the whole post still waits, and can take another place; null: none. */
export const plannedScheduleId = (post: Post): ScheduleId | null =>
  isPlanned(post) ? post.schedule_id : null

const aliveOf = ({ deliveries }: Post) => deliveries.filter(({ status }) => status !== 'cancelled')

type Props = {
  post: Post
  scheduleId: ScheduleId
  place: PlaceAsked
  zone: string
  now: number
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onMoved: () => void
}

/** Says when a post would go out at the top or the end of its schedule and what makes room, before it moves. */
export function PlaceQuestion({ post, scheduleId, place, zone, now, asker, onKeep, onMoved }: Props) {
  const { post_id: postId, version } = post
  const accounts = aliveOf(post)
  const next = useQuery({ ...nextSlotsQuery({ scheduleId, accounts, postId }), staleTime: 0 })
  const { data: schedules } = useQuery(schedulesQuery)
  const schedule = schedules?.find(({ schedule_id }) => schedule_id === scheduleId)
  const move = useMutation({
    mutationFn: () =>
      call('editPost', {
        params: { postId },
        body: { version, schedule: { schedule_id: scheduleId, place } },
      }),
    onSuccess: ({ publish_at, goes_out_at }) => {
      onMoved()
      const when = namedDayAndTime(publish_at ?? goes_out_at, { zone, now })
      announce({ kind: 'done', message: `“${titleOf(post)}” moved. New time: ${when}.` })
    },
    // After an error, too, the shown data may be stale.
    onSettled: () =>
      Promise.all([queryClient.invalidateQueries(ANY_POSTS), queryClient.invalidateQueries(ANY_SCHEDULES)]),
  })
  const placement = next.data?.[place]
  const isThere = placement?.moves.length === 0 && placement.at === post.publish_at
  const what = () => {
    if (next.data === undefined) return null
    if (!placement) return 'It has no free slot for this post.'
    if (isThere) return 'That is where it is now.'
    return `New time: ${namedDayAndTime(placement.at, { zone, now })}. ${makingRoom(placement.moves.length)}`
  }
  const failed = move.error ?? next.error
  return (
    <Confirm
      question={
        <>
          <strong>
            Move to the {place === 'top' ? 'top' : 'end'} of <bdi>{schedule?.name ?? 'its schedule'}</bdi>?
          </strong>{' '}
          {what()} {schedule?.paused && 'The schedule is paused: its posts wait until you resume it.'}
        </>
      }
      action={LABELS_OF_PLACES[place]}
      danger={false}
      ready={placement !== undefined && placement !== null && !isThere}
      onConfirm={() => move.mutate()}
      busy={move.isPending}
      failure={failed && messageOf(failed, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}

export const LABELS_OF_PLACES: Readonly<Record<PlaceAsked, string>> = {
  top: 'Move to top',
  bottom: 'Move to end',
}

const makingRoom = (posts: number): string => {
  if (posts === 0) return 'No other post moves.'
  return posts === 1 ? '1 post moves to a later slot.' : `${posts} posts move to later slots.`
}

type NowQuestionProps = {
  post: Post
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onPublished: () => void
}

/** Asks before a planned post goes out at once, to all its accounts. */
export function NowQuestion({ post, asker, onKeep, onPublished }: NowQuestionProps) {
  const { post_id: postId, version } = post
  const alive = aliveOf(post)
  const [only] = alive
  const publish = useMutation({
    mutationFn: () => call('editPost', { params: { postId }, body: { version, publish_at: null } }),
    onSuccess: () => {
      onPublished()
      announce({ kind: 'done', message: `“${titleOf(post)}” goes out now.` })
    },
    // After an error, too, the shown data may be stale.
    onSettled: () =>
      Promise.all([queryClient.invalidateQueries(ANY_POSTS), queryClient.invalidateQueries(ANY_SCHEDULES)]),
  })
  return (
    <Confirm
      question={
        <>
          <strong>Publish this post now?</strong> It goes to{' '}
          {only && alive.length === 1 ? accountOnPlatform(only) : counted(alive.length, 'account')}. You can't
          undo this.
        </>
      }
      action="Publish now"
      danger={false}
      keep="Keep its time"
      onConfirm={() => publish.mutate()}
      busy={publish.isPending}
      failure={publish.error && messageOf(publish.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}

type CancelQuestionProps = {
  delivery: Delivery
  /** Name the account, if the post has several. */
  named: boolean
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onCancelled: () => void
}

/** Asks before a delivery is cancelled, which cannot be undone. */
export function CancelQuestion({ delivery, named, asker, onKeep, onCancelled }: CancelQuestionProps) {
  const move = useDeliveryAction(delivery, onCancelled)
  const whose = named ? ` for ${accountOnPlatform(delivery)}` : ''
  return (
    <Confirm
      question={
        <>
          <strong>Cancel this post{whose}?</strong> It won't be posted. You can't undo this.
        </>
      }
      action="Cancel post"
      keep="Keep it"
      onConfirm={() => move.mutate({ move: 'cancel' })}
      busy={move.isPending}
      failure={move.error && messageOf(move.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}

export const canCancel = ({ actions }: Delivery): boolean => actions.includes('cancel')

type CancelAllQuestionProps = Pick<CancelQuestionProps, 'asker' | 'onKeep' | 'onCancelled'> & { post: Post }

/** Asks before everything of a post that has not started is cancelled. */
export function CancelAllQuestion({ post, asker, onKeep, onCancelled }: CancelAllQuestionProps) {
  const cancel = useMutation({
    mutationFn: () => call('bulkPosts', { body: { action: 'cancel', post_ids: [post.post_id] } }),
    onSuccess: ({ refused }) => {
      const [problem] = refused
      if (problem) announce({ kind: 'failed', message: problem.message })
      onCancelled()
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
  const count = post.deliveries.filter(canCancel).length
  return (
    <Confirm
      question={
        <>
          <strong>Cancel this post for {counted(count, 'account')}?</strong> It won't be posted there. What
          has started goes on. You can't undo this.
        </>
      }
      action={`Cancel for ${counted(count, 'account')}`}
      keep="Keep it"
      onConfirm={() => cancel.mutate()}
      busy={cancel.isPending}
      failure={cancel.error && messageOf(cancel.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}

type DeleteQuestionProps = {
  post: Post
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  /** Called on success: the row disappears, so the focus must move. */
  onDeleted: () => void
}

export function DeleteQuestion({ post, asker, onKeep, onDeleted }: DeleteQuestionProps) {
  const remove = useMutation({
    mutationFn: () => call('deletePost', { params: { postId: post.post_id } }),
    onSuccess: () => {
      onDeleted()
      dropPost(post.post_id)
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
  return (
    <Confirm
      question={
        <>
          <strong>Delete this post?</strong> {consequencesOf(post)}
        </>
      }
      action="Delete post"
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}

function consequencesOf({ deliveries }: Post): string {
  const waits = deliveries.some(({ actions }) => actions.includes('cancel'))
  const platformsWith = (wanted: DeliveryStatus) => {
    const found = deliveries.filter(({ status }) => status === wanted).map(({ platform }) => platform)
    return [...new Set(found)].map((platform) => PLATFORM_NAMES[platform]).join(' and ')
  }
  const where = platformsWith('published')
  const inbox = platformsWith('in_inbox')
  return [
    waits && "It won't be posted.",
    where !== '' && `What's live on ${where} stays there.`,
    inbox !== '' && `What's in the ${inbox} inbox stays there.`,
    "You can't undo this.",
  ]
    .filter((part) => part !== false)
    .join(' ')
}
