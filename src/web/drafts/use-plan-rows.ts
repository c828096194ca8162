import { queryOptions } from '@tanstack/react-query'
import { useEffect, useReducer, useRef, useState } from 'react'
import type { VideoId } from '#contract/ids.ts'
import type { Video } from '#contract/videos.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { queryClient, videoQuery } from '#web/api/queries.ts'
import { startState } from '#web/composer/compose-state.ts'
import { draftPlace, keptEdit } from '#web/composer/draft-place.ts'
import { DraftSaver, type StoredEdit } from '#web/composer/draft-saver.ts'
import { planCalls } from '#web/videos/plan-files.ts'
import { findStoredVideo } from '#web/videos/planned-uploads.ts'
import { planReducer, type PlanRow } from './plan-state.ts'

/** A draft as it is stored, with what this browser has not saved yet. */
export type LoadedRow = {
  readonly draftId: string
  readonly edit: StoredEdit
  readonly isChanged: boolean
  readonly video: Video | null
}

/** The drafts of a plan that are still there, in the order of the address. */
export const planQuery = (uid: string, draftIds: readonly string[]) =>
  queryOptions({
    queryKey: ['drafts', 'plan', draftIds],
    queryFn: async () => {
      const rows = await Promise.all(draftIds.map((draftId) => loadRow(uid, draftId)))
      return rows.filter((row) => row !== null)
    },
    // From then on the page is ahead of it.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnMount: false,
  })

async function loadRow(uid: string, draftId: string): Promise<LoadedRow | null> {
  const draft = await orNotFound(planCalls(() => call('getDraft', { params: { draftId } })))
  if (draft === null || draft.deleted_at !== null) return null
  const { version, content } = draft
  const kept = keptEdit(uid, draftId)
  const isChanged = kept !== null && JSON.stringify(kept.content) !== JSON.stringify(content)
  const edit = isChanged ? kept : { version, content }
  const videoId = edit.content.video_id
  const video =
    videoId === null
      ? await planCalls(() => findStoredVideo(uid, draftId))
      : await orNotFound(planCalls(() => queryClient.fetchQuery(videoQuery(videoId))))
  return { draftId, edit, isChanged, video }
}

async function orNotFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'not_found') return null
    throw error
  }
}

/** The rows of a plan. Each is saved a moment after it changes, like a draft in the composer. */
export function usePlanRows(uid: string, loaded: readonly LoadedRow[]) {
  const [rows, dispatch] = useReducer(planReducer, loaded, (start) => start.map(toRow))
  const [savers] = useState(() => new Map(loaded.map((row) => [row.draftId, createSaver(uid, row)])))
  const [videos, setVideos] = useState<ReadonlyMap<VideoId, Video>>(
    () => new Map(loaded.flatMap(({ video }) => (video ? [[video.video_id, video]] : []))),
  )
  const saved = useRef(new Map(loaded.map(({ draftId, edit }) => [draftId, edit.content])))
  useEffect(() => {
    for (const { draftId, content } of rows) {
      if (saved.current.get(draftId) === content) continue
      saved.current.set(draftId, content)
      savers.get(draftId)?.change(content, true)
    }
  }, [rows, savers])
  // What was typed in the last second before the page is left is saved too.
  useEffect(
    () => () => {
      for (const saver of savers.values()) void saver.flush()
    },
    [savers],
  )
  return {
    rows,
    dispatch,
    videos,
    savers,
    addVideo: (video: Video) => {
      queryClient.setQueryData(videoQuery(video.video_id).queryKey, video)
      setVideos((now) => new Map(now).set(video.video_id, video))
    },
    add: (added: readonly LoadedRow[]) => {
      for (const row of added) {
        savers.set(row.draftId, createSaver(uid, row))
        saved.current.set(row.draftId, row.edit.content)
      }
      dispatch({ type: 'add', rows: added.map(toRow) })
    },
  }
}

/** A video that was stored before a reload is taken over with the first render. */
const toRow = ({ draftId, edit: { content }, video }: LoadedRow): PlanRow => ({
  ...startState(content.video_id === null && video ? { ...content, video_id: video.video_id } : content),
  draftId,
})

function createSaver(uid: string, { draftId, edit, isChanged }: LoadedRow): DraftSaver {
  const place = draftPlace(uid, draftId)
  return new DraftSaver({ ...place, save: (asked) => planCalls(() => place.save(asked)) }, edit, isChanged)
}
