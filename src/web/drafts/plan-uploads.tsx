import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react'
import type { Video } from '#contract/videos.ts'
import { listRefusers } from '#domain/video-check/fix-plan.ts'
import { counted } from '#web/lib/amounts.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import type { ChosenVideo } from '#web/videos/chosen-files.ts'
import { localFileOf } from '#web/videos/local-files.ts'
import { findFile, uploadIdOf } from '#web/videos/planned-uploads.ts'
import { uploadFixed } from '#web/videos/upload-video.ts'
import { isCounted, UploadTotals } from '#web/videos/upload-totals.tsx'
import { findUpload, removeUpload, uploads, useUploads, type Upload } from '#web/videos/uploads.ts'
import type { CheckedRow, SharedFix } from './plan-checks.ts'
import type { PlanRow } from './plan-state.ts'

/** What each row's upload is doing; absent: it has none. */
export type UploadKinds = ReadonlyMap<string, string>

export function useUploadKinds(uid: string, rows: readonly PlanRow[]): UploadKinds {
  const read = () => rows.map(({ draftId }) => findUpload(uploadIdOf(uid, draftId))?.state.kind ?? '').join()
  const all = useSyncExternalStore(uploads.subscribe, read)
  return useMemo(() => {
    const kinds = all.split(',')
    return new Map(rows.flatMap(({ draftId }, at) => (kinds[at] ? [[draftId, kinds[at]]] : [])))
  }, [all, rows])
}

const BUSY = new Set(['pending', 'checking', 'fixing', 'uploading'])
export const isBusyKind = (kind: string | undefined): boolean => kind !== undefined && BUSY.has(kind)
/** A file becomes the row's video by itself. */
export const isOnTheWay = (kind: string | undefined): boolean => isBusyKind(kind) || kind === 'done'
/** Another file can take the place of what was there. */
export const isFree = (kind: string | undefined): boolean => kind === undefined || !isOnTheWay(kind)

/** Hands each uploaded video to its row. */
export function useTakenVideos(
  uid: string,
  kinds: UploadKinds,
  onVideo: (draftId: string, video: Video) => void,
): void {
  const take = useEffectEvent(onVideo)
  useEffect(() => {
    for (const [draftId, kind] of kinds) {
      const id = uploadIdOf(uid, draftId)
      const state = findUpload(id)?.state
      if (kind !== 'done' || state?.kind !== 'done') continue
      take(draftId, state.reply as Video) // the uploads of drafts become videos
      void removeUpload(id)
    }
  }, [uid, kinds])
}

/** Finds out which row a file is for: the one that asked, one that waits for this file, or none. */
export function matchFiles(
  uid: string,
  added: readonly ChosenVideo[],
  { missing, wanted }: { missing: readonly CheckedRow[]; wanted: string | null },
) {
  const [only, ...more] = added
  if (wanted !== null && only && more.length === 0)
    return { matched: [{ draftId: wanted, file: only.file }], others: [] }
  const waiting = missing.map(({ row }) => ({ draftId: row.draftId, file: findFile(uid, row.draftId) }))
  const matched: { draftId: string; file: File }[] = []
  const others: ChosenVideo[] = []
  for (const one of added) {
    const at = waiting.findIndex(
      ({ file }) => file?.filename === one.file.name && file.size === one.file.size,
    )
    const [found] = at < 0 ? [] : waiting.splice(at, 1)
    if (found) matched.push({ draftId: found.draftId, file: one.file })
    else others.push(one)
  }
  return { matched, others }
}

type MissingProps = { uid: string; checked: readonly CheckedRow[]; kinds: UploadKinds; onChoose: () => void }

/** After a reload: which files are to be chosen again. */
export function MissingFiles({ uid, checked, kinds, onChoose }: MissingProps) {
  const names = checked.flatMap(({ row, video }) => {
    const file = video === null && isFree(kinds.get(row.draftId)) ? findFile(uid, row.draftId) : null
    return file === null ? [] : [file.filename]
  })
  if (names.length < 2) return null
  return (
    <InlineAlert
      tone="attention"
      live={false}
      title={`${counted(names.length, 'video')} are not uploaded yet.`}
      actions={
        <Button size="xs" variant="default" onClick={onChoose}>
          Choose them again
        </Button>
      }
    >
      Choose the same files again to continue: {names.slice(0, NAMES_SHOWN).join(', ')}
      {names.length > NAMES_SHOWN && ` and ${names.length - NAMES_SHOWN} more`}.
    </InlineAlert>
  )
}

const NAMES_SHOWN = 5

/** All uploads of the plan as one, those included that have ended; not shown for a single one. */
export function PlanTotals({ uid, checked }: { uid: string; checked: readonly CheckedRow[] }) {
  const running = useUploads()
  const own = checked.flatMap(({ row, video }): Upload[] => {
    const id = uploadIdOf(uid, row.draftId)
    const upload = running.find((one) => one.id === id)
    if (upload) return isCounted(upload) ? [upload] : []
    const file = localFileOf(video?.video_id ?? null)
    if (!video || !file) return []
    const { filename } = video
    return [{ id, uid, page: '', filename, file, state: { kind: 'done', reply: video }, run: ENDED }]
  })
  return own.some(({ state }) => state.kind !== 'done') && own.length > 1 && <UploadTotals uploads={own} />
}

const ENDED = Symbol('ended')

type FixProps = { fix: SharedFix; uid: string; page: string; disabled: boolean }

/** Offers the fix that several videos need once for all of them. */
export function FixOffer({ fix: { plan, rows }, uid, page, disabled }: FixProps) {
  const refused = plan.solved.filter(({ level }) => level === 'error')
  const fix = useMutation({
    mutationFn: async () => {
      // One after the other: a conversion takes all that the browser has.
      for (const { row, plan: own } of rows)
        if (row.video) await uploadFixed({ id: uploadIdOf(uid, row.row.draftId), uid, page }, row.video, own)
    },
  })
  return (
    <InlineAlert
      tone="attention"
      live={false}
      title={`${listRefusers(refused)} would refuse ${counted(rows.length, 'video')}.`}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={fix.isPending}
          disabled={disabled}
          onClick={() => fix.mutate()}
        >
          Fix {counted(rows.length, 'video')}
        </Button>
      }
    >
      {[...new Set(refused.map(({ message }) => message))].join(' ')} Your browser can fix{' '}
      {rows.length === 1 ? 'it' : 'them'}: {plan.changes.join(', ')}.
    </InlineAlert>
  )
}
