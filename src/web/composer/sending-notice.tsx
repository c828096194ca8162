import { Button, Group } from '@mantine/core'
import { Suspense, type ReactNode } from 'react'
import { Link } from 'react-router'
import { accountName } from '#contract/accounts.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { RepeatQuestion, repeatsOf } from '#web/posts/repeats.tsx'
import type { Judged } from './readiness.ts'
import { parseTargetField } from './refusal.ts'
import type { SendState } from './use-sending.ts'

type Props = {
  state: SendState
  /** In the order in which they were sent. */
  judged: readonly Judged[]
  /** A post is changed rather than published. */
  isEdit: boolean
  /** Publishes although an account has the video since what this post replaces has failed. */
  onRepeat: () => void
  /** Ends the waiting, or closes the question. */
  onStop: () => void
}

/** Until the post is sent: what is waited for, or why nothing was published. */
export function SendingNotice({ state, judged, isEdit, onRepeat, onStop }: Props): ReactNode {
  if (state.kind === 'waiting')
    return (
      <Group component="output" gap="0.5rem 1rem" fz="xs" fw={600} c="var(--r-working)">
        Waiting for the upload. It {isEdit ? 'saves' : 'publishes'} once the video is uploaded: keep this page
        open.
        <Button size="compact-xs" variant="default" onClick={onStop}>
          Don't {isEdit ? 'save' : 'publish'} yet
        </Button>
      </Group>
    )
  if (state.kind !== 'failed') return null
  const repeats = repeatsOf(state.error)
  if (repeats !== null)
    return (
      <Suspense>
        <RepeatQuestion repeats={repeats} onConfirm={onRepeat} onClose={onStop} />
      </Suspense>
    )
  if (state.unanswered)
    return (
      <InlineAlert tone="attention">
        <strong>The server didn't answer, so it may have {isEdit ? 'your changes' : 'the post'}.</strong>{' '}
        Check the <Link to={PATHS.queue}>queue</Link>, or press again: it can't be posted twice.
      </InlineAlert>
    )
  return (
    <InlineAlert>
      <strong>{isEdit ? 'Nothing was changed.' : 'Nothing was published.'}</strong>{' '}
      {reasonsOf(state.error, judged).join(' ')}
    </InlineAlert>
  )
}

const LISTED_MAX = 2

/** The server's reasons, with the account that each is about. */
function reasonsOf(error: Error, judged: readonly Judged[]): readonly string[] {
  const fields = error instanceof ApiProblem ? Object.entries(error.errors) : []
  if (fields.length === 0) return [messageOf(error, TEXTS.unknownError)]
  // Each stands at its field as well; a long list would cover it.
  if (fields.length > LISTED_MAX) return [`${fields.length} things to change are marked above.`]
  return fields.map(([field, messages]) => {
    const target = parseTargetField(field)
    const account = target === null ? undefined : judged[target.at]?.live.account
    return account ? `${accountName(account)}: ${messages.join(' ')}` : messages.join(' ')
  })
}
