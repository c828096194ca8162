import { useMutation } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { dropPost } from './posts-cache.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { messageOf } from '#web/lib/message-of.ts'

type Props = {
  post: Post
  /** Gets the focus back. */
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  /** Called on success: the row disappears, so the focus must move. */
  onDeleted: () => void
}

export function DeleteQuestion({ post, asker, onKeep, onDeleted }: Props) {
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
