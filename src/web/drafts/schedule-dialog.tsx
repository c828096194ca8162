import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { DraftSummary } from '#contract/drafts.ts'
import { TEXTS } from '#contract/texts.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { Terms } from '#web/composer/publish-bar.tsx'
import { counted } from '#web/lib/amounts.ts'
import { draftTitle } from '#web/lib/draft-title.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { draftPath, postPath } from '#web/lib/paths.ts'
import { useNow } from '#web/lib/use-now.ts'
import { useUid } from '#web/session/browser-store.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { useZone } from '#web/ui/zone.tsx'
import classes from './drafts.module.css'
import { checkDrafts, postDraft, type DraftsGoOut, type Posting, type ReadyDraft } from './schedule-drafts.ts'

type Props = {
  /** In the order in which they go out. */
  drafts: readonly DraftSummary[]
  when: DraftsGoOut
  onClose: () => void
}

type Words = {
  /** "Schedule 3 drafts" */
  readonly act: (drafts: string) => string
  readonly means: string
  readonly can: string
  readonly done: string
  readonly not: string
  readonly maybe: string
}

const WORDS: Record<DraftsGoOut, Words> = {
  'in slots': {
    act: (drafts) => `Schedule ${drafts}`,
    means: 'Each takes the next free slot of its accounts’ posting schedule, in the order of the list.',
    can: 'can be scheduled',
    done: 'scheduled',
    not: 'not scheduled yet',
    maybe: 'scheduled',
  },
  now: {
    act: (drafts) => `Publish ${drafts} now`,
    means: 'Each goes out at once, to all of its accounts. A time that was chosen for it is not used.',
    can: 'can be published',
    done: 'on the way',
    not: 'not published yet',
    maybe: 'on its way',
  },
}

/** Shows which drafts can go out and what the others lack, posts them, and says what became of each. */
export function ScheduleDialog({ drafts, when, onClose }: Props) {
  const words = WORDS[when]
  const zone = useZone()
  const uid = useUid()
  // As they were chosen: the list behind it changes while they are scheduled.
  const [chosen] = useState(drafts)
  const check = useQuery({
    queryKey: ['schedule drafts', when, chosen.map(({ draft_id, version }) => [draft_id, version])],
    queryFn: ({ signal }) => checkDrafts(chosen, { uid, zone, when }, signal),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const all = check.data ?? []
  const ready = all.filter((one) => one.kind === 'ready')
  const incomplete = all.filter((one) => one.kind === 'incomplete')

  const [outcomes, setOutcomes] = useState<readonly Posting[]>([])
  const isStopped = useRef(false)
  const schedule = useMutation({
    mutationFn: async (pending: readonly ReadyDraft[]) => {
      for (const one of pending) {
        if (isStopped.current) return
        const outcome = await postDraft(one)
        setOutcomes((now) => [...now.filter((other) => idOf(other) !== idOf(outcome)), outcome])
        // Those that come after it would take its slot.
        if (outcome.kind === 'unanswered') return
      }
    },
    onSettled: () =>
      Promise.all(
        [ANY_DRAFTS, ANY_POSTS, ANY_SCHEDULES].map((those) => queryClient.invalidateQueries(those)),
      ),
  })
  const close = () => {
    isStopped.current = true
    onClose()
  }
  const ended = new Map(outcomes.map((one) => [idOf(one), one]))
  const pending = ready.flatMap((one) => {
    const outcome = ended.get(one.draft.draft_id)
    return outcome === undefined ? one : outcome.kind === 'unanswered' ? outcome.again : []
  })
  const posted = outcomes.filter((one) => one.kind === 'posted')
  const refused = outcomes.filter((one) => one.kind === 'refused')
  const left = incomplete.length + refused.length
  const isUnanswered = outcomes.some(({ kind }) => kind === 'unanswered')
  const hasBegun = schedule.isPending || outcomes.length > 0
  return (
    // The second click of a double one may land beside the dialog, which grows and shrinks.
    <Modal
      opened
      onClose={close}
      closeOnClickOutside={!schedule.isPending}
      title={words.act(counted(chosen.length, 'draft'))}
      size="lg"
    >
      <Stack pt="0.25rem">
        {check.status === 'error' && (
          <QueryError query={check}>{messageOf(check.error, TEXTS.unknownError)}</QueryError>
        )}
        {check.status === 'pending' && (
          <Group component="output" gap="xs">
            <Loader size="xs" /> Checking {counted(chosen.length, 'draft')}…
          </Group>
        )}
        {check.status === 'success' && !hasBegun && (
          <p>{ready.length === 0 ? `None of these drafts ${words.can} yet.` : words.means}</p>
        )}
        <Outcomes title={`${posted.length} ${words.done}`} count={posted.length}>
          {posted.map(({ draft, post }) => (
            <Line key={draft.draft_id} title={draftTitle(draft)} to={postPath(post.post_id)}>
              <Slot at={post.publish_at} zone={zone} />
            </Line>
          ))}
        </Outcomes>
        <Outcomes title={`${pending.length} ${hasBegun ? words.not : words.can}`} count={pending.length}>
          {pending.map(({ draft }) => (
            <Line key={draft.draft_id} title={draftTitle(draft)} to={draftPath(draft.draft_id)} />
          ))}
        </Outcomes>
        <Outcomes
          title={`${left} ${hasBegun ? (left === 1 ? 'stays' : 'stay') : 'will stay'} in the drafts`}
          count={left}
        >
          {refused.map(({ draft, why }) => (
            <Line key={draft.draft_id} title={draftTitle(draft)} to={draftPath(draft.draft_id)}>
              {why}
            </Line>
          ))}
          {incomplete.map(({ draft, missing }) => (
            <Line key={draft.draft_id} title={draftTitle(draft)} to={draftPath(draft.draft_id)}>
              {missing.join(' ')}
            </Line>
          ))}
        </Outcomes>
        {isUnanswered && !schedule.isPending && (
          <InlineAlert>
            The server’s answer was lost, so the first of them may be {words.maybe} already. Try again: no
            draft is posted twice.
          </InlineAlert>
        )}
        {schedule.error !== null && (
          <InlineAlert>{messageOf(schedule.error, TEXTS.unknownError)}</InlineAlert>
        )}
        {pending.length > 0 && (
          <Text component="div" c="dimmed" size="xs">
            <Terms judged={pending.flatMap(({ judged }) => judged)} />
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {hasBegun && pending.length === 0 ? 'Done' : schedule.isPending ? 'Stop' : 'Close'}
          </Button>
          {pending.length > 0 && (
            <Button loading={schedule.isPending} onClick={() => schedule.mutate(pending)}>
              {hasBegun ? 'Try again' : words.act(counted(pending.length, 'draft'))}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

const idOf = (one: Posting): string =>
  one.kind === 'unanswered' ? one.again.draft.draft_id : one.draft.draft_id

const Outcomes = ({ title, count, children }: { title: string; count: number; children: ReactNode }) =>
  count > 0 && (
    <section aria-label={title}>
      <Text component="h3" fw={600} size="sm" mb="0.25rem">
        {title}
      </Text>
      <ul className={classes.outcomes}>{children}</ul>
    </section>
  )

const Line = ({ title, to, children }: { title: string; to: string; children?: ReactNode }) => (
  <li>
    <Link to={to} className={classes.name} dir="auto">
      {title}
    </Link>
    {children !== undefined && (
      <Text component="div" c="dimmed" size="xs">
        {children}
      </Text>
    )}
  </li>
)

function Slot({ at, zone }: { at: string | null; zone: string }) {
  const now = useNow()
  return <>{at === null ? 'As soon as possible' : namedDayAndTime(at, { zone, now })}</>
}
