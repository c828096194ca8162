import { Button, Group, Modal, Radio, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DecidedRestored, RestoredDecision } from '#contract/deliveries.ts'
import type { PostId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'

type Props = {
  decide: (decision: RestoredDecision) => Promise<DecidedRestored>
  onClose: () => void
  /** These posts have missed their time. */
  onMissed?: (postIds: readonly PostId[]) => void
}

/** Asks what became of the posts that are held after a restore, for all of them at once. */
export function RestoredDialog({ decide, onClose, onMissed }: Props) {
  const [decision, setDecision] = useState<RestoredDecision>('resume_planned')
  const act = useMutation({
    mutationFn: () => decide(decision),
    onSuccess: ({ decided, missed_post_ids: missed }) => {
      announce({ kind: 'done', message: decided === 0 ? 'Nothing of that kind was held.' : DONE[decision] })
      onClose()
      if (missed.length > 0) onMissed?.(missed)
    },
    // After an error, too, part of them may be decided.
    onSettled: () => queryClient.invalidateQueries(),
  })
  return (
    <Modal opened onClose={onClose} title="Posts held after a restore">
      <Stack pt="0.25rem">
        <p>
          Since the backup was made, some of them may have been posted. Look at the accounts first. You can
          also decide post by post in the queue.
        </p>
        <fieldset aria-label="What happens to them">
          <Stack gap="sm">
            {DECISIONS.map((one) => (
              <Radio
                key={one}
                {...CHOICES[one]}
                checked={decision === one}
                onChange={() => setDecision(one)}
              />
            ))}
          </Stack>
        </fieldset>
        {act.error && <InlineAlert>{messageOf(act.error, TEXTS.unknownError)}</InlineAlert>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            {...(decision === 'cancel' && { color: 'failed' })}
            loading={act.isPending}
            onClick={() => act.mutate()}
          >
            {BUTTONS[decision]}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const DECISIONS = ['resume_planned', 'live', 'not_live', 'cancel'] as const satisfies RestoredDecision[]

const CHOICES: Record<RestoredDecision, { label: string; description: string }> = {
  resume_planned: {
    label: 'Resume scheduled posts',
    description: 'They go out at their times. What may be live already stays held.',
  },
  live: {
    label: 'What was due is live',
    description: 'It is marked as published. Scheduled posts stay held.',
  },
  not_live: {
    label: 'Nothing is live',
    description: 'Scheduled posts go out at their times. Late ones wait until they get another time.',
  },
  cancel: { label: 'Cancel all', description: "None goes out. You can't undo this." },
}

const BUTTONS: Record<RestoredDecision, string> = {
  resume_planned: 'Resume',
  live: 'Mark as published',
  not_live: 'Release',
  cancel: 'Cancel all posts',
}

const DONE: Record<RestoredDecision, string> = {
  resume_planned: 'Scheduled posts go out at their times.',
  live: 'What was due is marked as published.',
  not_live: 'The posts are no longer held.',
  cancel: 'The held posts are cancelled.',
}
