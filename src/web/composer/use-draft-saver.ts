import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { DraftContent } from '#contract/drafts.ts'
import { useUid } from '#web/session/browser-store.ts'
import type { Edited } from './edit-of-post.ts'
import { isWorthSaving, type ComposeState } from './compose-state.ts'
import { draftPlace } from './draft-place.ts'
import type { Refusal } from './refusal.ts'
import { DraftSaver, type SaveState, type StoredEdit } from './draft-saver.ts'

/** The start of a composed post. `isChanged`: its content is to be saved, although nothing is changed here. */
export type Start = {
  readonly draftId: string
  readonly edit: StoredEdit
  readonly isChanged: boolean
  /** For accounts that are not selected. */
  readonly aside?: ComposeState['aside']
  /** What was refused of the post that is made again. */
  readonly refusal?: Refusal | null
  /** A post is changed: its changes are no draft. */
  readonly edited?: Edited
}

/** Saves the content as it changes. `isUploading`: its video is on the way, so that an empty draft is worth keeping. */
export function useDraftSaver(
  { draftId, edit, isChanged, edited }: Start,
  { content, isUploading }: { content: DraftContent; isUploading: boolean },
  onCreated: (draftId: string) => void,
): { saver: DraftSaver; saveState: SaveState } {
  const uid = useUid()
  const [saver] = useState(() => new DraftSaver(draftPlace(uid, draftId), edit, isChanged))
  // A copy that is only looked at leaves no draft.
  const isTouched = isChanged || JSON.stringify(content) !== JSON.stringify(edit.content)
  const isWorth = edited === undefined && (isUploading || (isTouched && isWorthSaving(content)))
  useEffect(() => saver.change(content, isWorth), [saver, content, isWorth])
  // Text typed in the last second before the screen is left is saved too.
  useEffect(() => () => void saver.flush(), [saver])
  const saveState = useSyncExternalStore(saver.state.subscribe, saver.state.get)
  const isCreated = edit.version === 0 && saveState.kind === 'saved'
  const wasTold = useRef(false)
  useEffect(() => {
    // Once, and not when it is published by now: a new address would keep the page from leaving for the queue.
    if (!isCreated || wasTold.current || saver.isStopped) return
    wasTold.current = true
    onCreated(draftId)
  }, [isCreated, onCreated, draftId, saver])
  return { saver, saveState }
}
