import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { DraftContent } from '#contract/drafts.ts'
import { announce } from '#web/ui/announce.tsx'
import type { PublishOutcome } from './use-edit.ts'

export type SendState =
  /** `waiting`: for the upload of its video. */
  | { readonly kind: 'idle' | 'waiting' | 'sending' }
  /** `content`: what was sent. */
  | (Extract<PublishOutcome, { kind: 'failed' }> & { readonly content: DraftContent })

const IDLE: SendState = { kind: 'idle' }

type Props = {
  content: DraftContent
  hasVideo: boolean
  /** A video will be there by itself. */
  isUploading: boolean
  /** @param isRepeat its user wants it although an account has the video already */
  publish: (isRepeat: boolean) => Promise<PublishOutcome>
  /** Shown if the user leaves the page while the post waits. */
  leftNote: string
}

/** The press of the button: sends the post at once, or once its video is there. Another press meanwhile does nothing. */
export function useSending({ content, hasVideo, isUploading, publish, leftNote }: Props) {
  const [state, setState] = useState(IDLE)
  // State is read a render late: the second press of a double click would not see it.
  const now = useRef<SendState['kind']>('idle')
  const show = (next: SendState) => {
    now.current = next.kind
    setState(next)
  }
  const send = async (isRepeat = false): Promise<void> => {
    if (now.current === 'sending') return
    show({ kind: 'sending' })
    const outcome = await publish(isRepeat)
    show(outcome.kind === 'failed' ? { ...outcome, content } : IDLE)
  }
  const isOver = state.kind === 'waiting' && !isUploading
  const goOn = useEffectEvent(() => {
    if (now.current !== 'waiting') return
    if (hasVideo) void send()
    else show(IDLE)
  })
  useEffect(() => {
    if (!isOver) return
    const timer = setTimeout(() => goOn())
    return () => clearTimeout(timer)
  }, [isOver])
  const leave = useEffectEvent(() => {
    if (now.current === 'waiting') announce({ kind: 'note', message: leftNote, page: null })
  })
  useEffect(() => () => leave(), [])
  // A change makes the last refusal outdated.
  const isOutdated = state.kind === 'failed' && state.content !== content
  return {
    state: isOutdated ? IDLE : state,
    send,
    wait: () => show({ kind: 'waiting' }),
    stop: () => show(IDLE),
  }
}
