import type { RefObject } from 'react'
import type { Post } from '#contract/posts.ts'
import {
  CancelAllQuestion,
  CancelQuestion,
  DeleteQuestion,
  NowQuestion,
  PlaceQuestion,
  plannedScheduleId,
} from './confirmations.tsx'
import type { Question } from './post-menu.tsx'

type Props = {
  question: Question | null
  post: Post
  zone: string
  now: number
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onDone: () => void
  onDeleted: () => void
}

/** The question that the menu of a post asks before it acts. */
export function PostQuestion({ question, post, zone, now, asker, onKeep, onDone, onDeleted }: Props) {
  const scheduleId = plannedScheduleId(post)
  if (question === null) return null
  if (typeof question === 'number') {
    const delivery = post.deliveries.find(({ delivery_id }) => delivery_id === question)
    return (
      delivery && (
        <CancelQuestion
          key={question}
          {...{ delivery, asker, onKeep }}
          named={post.deliveries.length > 1}
          onCancelled={onDone}
        />
      )
    )
  }
  switch (question) {
    case 'delete':
      return <DeleteQuestion post={post} asker={asker} onKeep={onKeep} onDeleted={onDeleted} />
    case 'cancel all':
      return <CancelAllQuestion post={post} asker={asker} onKeep={onKeep} onCancelled={onDone} />
    case 'now':
      return <NowQuestion post={post} asker={asker} onKeep={onKeep} onPublished={onDone} />
    case 'top':
    case 'bottom':
      return (
        scheduleId !== null && (
          <PlaceQuestion
            key={question}
            {...{ post, scheduleId, zone, now, asker, onKeep }}
            place={question}
            onMoved={onDone}
          />
        )
      )
  }
}
