import { useEffect } from 'react'
import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { REPORT_NOTE_MAX_CHARS } from '#contract/limits.ts'
import { call } from '#web/api/api.ts'
import { useFormDraft } from '#web/session/browser-store.ts'
import { updateReport, type ReportKey } from './report-query.ts'

const Typed = z.string().nullable()

/** The words of a report. What is typed is kept in the browser until the server has it. */
export function useNote(key: ReportKey, saved: string) {
  const { value, set, clear } = useFormDraft(`report ${key.brandId} ${key.month}`, Typed, null)
  const save = useMutation({
    mutationFn: (note: string) => call('setReportNote', { params: key, body: { note } }),
    onSuccess: (_, note) => updateReport(key, { note }),
  })
  const isKept = value !== null && value === saved
  useEffect(() => {
    if (isKept) clear(null)
  })
  const note = value ?? saved
  const isTooLong = note.length > REPORT_NOTE_MAX_CHARS
  return {
    note,
    isUnsaved: note !== saved,
    isTooLong,
    isSaving: save.isPending,
    /** Saved since the report was opened. */
    isDone: save.isSuccess && note === saved,
    error: save.error,
    set,
    save: () => {
      if (!isTooLong && !save.isPending) save.mutate(note)
    },
    discard: () => {
      save.reset()
      clear(null)
    },
  }
}
export type Note = ReturnType<typeof useNote>
