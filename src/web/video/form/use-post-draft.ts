import { useState } from 'react'
import { z } from 'zod'
import { useFormDraft, useSessionState } from '#web/session/browser-store.ts'
import type { Panel } from './panel.ts'

/** What was typed and chosen. It outlives the screen and a reload; the file outlives the screen only. */
export function usePostDraft<Value, Info>({ platform, schema, empty }: Panel<Value, Info>) {
  const [stored] = useState(() =>
    z.object({ accountId: z.int().nullable(), filename: z.string().nullable(), value: schema }),
  )
  const blank = { accountId: null, filename: null, value: empty }
  const draft = useFormDraft(`${platform} form`, stored, blank)
  const [file, setFile] = useSessionState<File | null>(`${platform} file`, null)
  const [wasFileRemoved, setWasFileRemoved] = useState(false)
  const change = (next: Partial<typeof draft.value>) => draft.set({ ...draft.value, ...next })
  return {
    ...draft.value,
    file,
    wasFileRemoved,
    isTouched: file !== null || JSON.stringify({ ...draft.value, accountId: null }) !== JSON.stringify(blank),
    change,
    chooseFile: (chosen: File | null) => {
      setFile(chosen)
      setWasFileRemoved(chosen === null)
      change({ filename: chosen?.name ?? null })
    },
    /** @param accountId stays chosen; null: none */
    reset: (accountId: number | null) => {
      draft.clear({ ...blank, accountId })
      setFile(null)
      setWasFileRemoved(false)
    },
  }
}
