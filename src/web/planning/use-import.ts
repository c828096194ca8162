import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { counted } from '#web/lib/amounts.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { PATHS } from '#web/lib/paths.ts'
import { readCsvFile } from './read-csv-file.ts'

/** `key`: the same for each attempt to import the file, so that it is imported once. */
type Chosen = { readonly name: string; readonly csv: string; readonly key: string }

/** A chosen file from its check to its import. */
export function useImport() {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const check = useMutation({
    mutationFn: ({ csv }: Chosen) => call('importPosts', { body: { csv, dry_run: true } }),
  })
  const carryOut = useMutation({
    mutationFn: ({ csv, key }: Chosen) => call('importPosts', { body: { csv }, idempotencyKey: key }),
    onSuccess: async ({ posts }) => {
      announce({ kind: 'done', message: `${counted(posts, 'post')} scheduled.`, page: PATHS.queue })
      void queryClient.invalidateQueries(ANY_POSTS)
      await navigate(PATHS.queue)
    },
    // Something has changed since the check: it says what.
    onError: (error, file) => {
      if (error instanceof ApiProblem && error.code === 'invalid') check.mutate(file)
    },
  })
  const take = async (file: File) => {
    const read = await readCsvFile(file)
    check.reset()
    carryOut.reset()
    setUnreadable(read.kind === 'refused' ? `${file.name}: ${read.why}` : null)
    const next = read.kind === 'refused' ? null : { name: file.name, csv: read.text, key: newUuid() }
    setChosen(next)
    if (next) check.mutate(next)
  }
  return { chosen, unreadable, check, carryOut, take }
}
