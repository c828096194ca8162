import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import { DraftId, PostId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { accountsQuery, brandsQuery } from '#web/api/queries.ts'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { lazyScreen } from '#web/ui/error-screen.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { PATHS } from '#web/lib/paths.ts'
import { useUid } from '#web/session/browser-store.ts'
import { ComposeHeader } from './compose-header.tsx'
import { keptNewDraft } from './draft-place.ts'
import type { Start } from './use-draft-saver.ts'
import { useStart, type ReadStart } from './use-start.ts'
import { useEditStart } from './edit-start.ts'

// Loaded beside the data, while the head and the skeleton are shown.
const Composer = lazyScreen(async () => (await import('./composer.tsx')).Composer)

export function ComposeScreen() {
  const [search] = useSearchParams()
  const edited = PostId.safeParse(Number(search.get('edit'))).data
  if (edited !== undefined) return <EditPage key={edited} postId={edited} />
  // The address of the drafts before they had a screen.
  return search.has('drafts') ? <Navigate to={PATHS.drafts} replace /> : <ComposePage />
}

/** A post that has not gone out yet. */
function EditPage({ postId }: { postId: PostId }) {
  const [restart, setRestart] = useState<{ start: Start; count: number } | null>(null)
  const read = useEditStart(postId, restart?.start ?? null)
  return (
    <Loaded
      key={restart?.count ?? 0}
      read={read}
      isEdit
      isRestarted={restart !== null}
      onCreated={() => undefined}
      onRestart={(start) => setRestart({ start, count: (restart?.count ?? 0) + 1 })}
    />
  )
}

/** One draft after the other: a new one is made where the address names none. */
function ComposePage() {
  const uid = useUid()
  const [search, setSearch] = useSearchParams()
  const asked = DraftId.safeParse(search.get('draft') ?? undefined).data ?? null
  const isCopy = search.has('video') || search.has('post') || search.has('at')
  const [fresh, setFresh] = useState(() => (isCopy ? null : keptNewDraft(uid)) ?? newUuid())
  const [restart, setRestart] = useState<{ start: Start; count: number } | null>(null)
  // The new draft is saved and has an address now; "New post" begins another one.
  if (asked === fresh) setFresh(newUuid())
  const onCreated = useCallback(
    (draftId: string) => setSearch({ draft: draftId }, { replace: true, preventScrollReset: true }),
    [setSearch],
  )
  const onRestart = (start: Start) => {
    setRestart({ start, count: (restart?.count ?? 0) + 1 })
    if (start.draftId === asked) return
    setFresh(start.draftId)
    setSearch({}, { replace: true })
  }
  const draftId = asked ?? fresh
  const again = restart?.start.draftId === draftId ? restart : null
  return (
    <OneDraft
      key={`${draftId} ${again?.count ?? 0}`}
      draftId={draftId}
      isSaved={asked !== null}
      again={again?.start ?? null}
      onCreated={onCreated}
      onRestart={onRestart}
    />
  )
}

type Props = {
  draftId: string
  isSaved: boolean
  again: Start | null
  onCreated: (draftId: string) => void
  onRestart: (start: Start) => void
}

function OneDraft({ draftId, isSaved, again, onCreated, onRestart }: Props) {
  const read = useStart({ draftId, isSaved, again })
  return <Loaded {...{ read, onCreated, onRestart }} isEdit={false} isRestarted={again !== null} />
}

type LoadedProps = Pick<Props, 'onCreated' | 'onRestart'> & {
  read: ReadStart
  isEdit: boolean
  isRestarted: boolean
}

/** The composer, once there is what it begins with. */
function Loaded({ read, isEdit, isRestarted, onCreated, onRestart }: LoadedProps) {
  const brands = useQuery(brandsQuery)
  const accounts = useQuery(accountsQuery())
  // Kept from here on: what is refetched must not replace what is typed.
  const [start, setStart] = useState<Start | null>(null)
  if (start === null && read.kind === 'ready') setStart(read.start)
  const failed = [brands, accounts, ...(read.kind === 'failed' ? [read.query] : [])].find(
    ({ status }) => status === 'error',
  )
  const waiting = (
    <>
      <ComposeHeader isEdit={isEdit} />
      <FieldsSkeleton heights={SKELETON} />
    </>
  )
  if (start !== null && brands.data && accounts.data)
    return (
      <Suspense fallback={waiting}>
        <Composer
          start={start}
          isRestarted={isRestarted}
          brands={brands.data}
          accounts={accounts.data}
          onCreated={onCreated}
          onRestart={onRestart}
        />
      </Suspense>
    )
  if (read.kind !== 'gone' && !failed) return waiting
  return (
    <>
      <ComposeHeader isEdit={isEdit} />
      {read.kind === 'gone' ? (
        <CenteredMessage
          text={GONE[read.what]}
          action={
            <Button variant="default" component={Link} to={PATHS.queue}>
              Go to the queue
            </Button>
          }
        />
      ) : (
        failed && <QueryError query={failed}>{messageOf(failed.error, TEXTS.unknownError)}</QueryError>
      )}
    </>
  )
}

const GONE = {
  draft: "This draft isn't there any more. It was published or deleted.",
  post: "This post isn't there any more.",
  started: 'This post has gone out or was cancelled, so it can no longer be changed.',
} as const

/** Of the video, the caption and the accounts. */
const SKELETON = [168, 88, 320]
