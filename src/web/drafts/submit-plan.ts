import { useMutation } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import type { DraftContent } from '#contract/drafts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { toNewPost } from '#web/composer/use-publish.ts'
import { counted } from '#web/lib/amounts.ts'
import { dayOf } from '#web/lib/moments.ts'
import { PATHS } from '#web/lib/paths.ts'
import { announce } from '#web/ui/announce.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import type { CheckedRow } from './plan-checks.ts'
import type { usePlanRows } from './use-plan-rows.ts'

/** What the server refused of a post: it holds until the post is changed. */
export type Refused = ReadonlyMap<
  string,
  { readonly content: DraftContent; readonly texts: readonly string[] }
>
export const NOTHING_REFUSED: Refused = new Map()

type Submit = {
  savers: ReturnType<typeof usePlanRows>['savers']
  onRefused: (refused: Refused) => void
}

/** Saves the drafts, then makes the posts of those versions: they are made once, however often it is sent. */
export function useSubmit(checked: readonly CheckedRow[], { savers, onRefused }: Submit) {
  const navigate = useNavigate()
  const zone = useOwnZone()
  return useMutation({
    mutationFn: async () => {
      onRefused(NOTHING_REFUSED)
      const posts = await Promise.all(
        checked.map(async ({ row, judged }) => {
          const post = toNewPost(row.content, judged)
          const draft = await savers.get(row.draftId)?.flush(true)
          if (post === null || !draft) throw new Error(NOT_SAVED)
          return { ...post, draft }
        }),
      )
      try {
        return await call('createPosts', { body: { posts } })
      } catch (error) {
        if (error instanceof ApiProblem) onRefused(readRefusals(error, checked))
        throw error
      }
    },
    onSuccess: async ({ posts }) => {
      for (const { row } of checked) savers.get(row.draftId)?.stop()
      for (const those of [ANY_POSTS, ANY_DRAFTS, ANY_SCHEDULES]) void queryClient.invalidateQueries(those)
      await navigate(
        `${PATHS.calendar}${firstDay(
          posts.map(({ publish_at }) => publish_at),
          zone,
        )}`,
      )
      announce({ kind: 'done', message: `${counted(posts.length, 'post')} scheduled.` })
    },
  })
}

/** The calendar opens where the first of them is. */
function firstDay(times: readonly (string | null)[], zone: string): string {
  const [first] = times.filter((at) => at !== null).toSorted()
  return first === undefined ? '' : `?date=${dayOf(first, zone)}`
}

const NOT_SAVED =
  'One of these drafts was changed somewhere else, or could not be saved. Reload the page to see what is stored.'

/** `posts.3.text`: the messages of each post that was refused. */
function readRefusals({ errors }: ApiProblem, checked: readonly CheckedRow[]): Refused {
  const refused = new Map<string, { content: DraftContent; texts: readonly string[] }>()
  for (const [field, messages] of Object.entries(errors)) {
    const [, at = ''] = /^posts\.(\d+)(?:\.|$)/.exec(field) ?? []
    const row = at === '' ? undefined : checked[Number(at)]?.row
    if (row === undefined) continue
    const before = refused.get(row.draftId)?.texts ?? []
    refused.set(row.draftId, { content: row.content, texts: [...new Set([...before, ...messages])] })
  }
  return refused
}
