import { Box, Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PostId } from '#contract/ids.ts'
import type { BulkPosts } from '#contract/planning/bulk-posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { instantOf, localAt } from '#domain/schedule/schedule.ts'
import { call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { zoneName } from '#web/lib/moments.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { ApartField, LocalFields } from './move-fields.tsx'

type UntilProps = {
  name: string
  busy: boolean
  error: unknown
  /** ISO instant. */
  onPause: (until: string) => void
  onClose: () => void
}

/** Asks until when something is paused. */
export function PauseUntilDialog({ name, busy, error, onPause, onClose }: UntilProps) {
  const zone = useZone()
  const [local, setLocal] = useState(() => `${localAt(serverNow() + DAY_MS, zone).slice(0, 10)}T09:00`)
  const until = instantOf(local, zone)
  return (
    <Modal opened onClose={onClose} title={`Pause ${name} until`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (until !== null) onPause(new Date(until).toISOString())
        }}
      >
        <Stack pt="0.25rem">
          <LocalFields value={local} onChange={setLocal} />
          <Text size="xs" c="dimmed">
            {zoneName(zone)} time. Posts due before then wait. Those that are too late once posting resumes
            are listed under “Needs attention”.
          </Text>
          {error !== null && <InlineAlert>{messageOf(error, TEXTS.unknownError)}</InlineAlert>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={busy} disabled={until === null}>
              Pause
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

type Choice = 'slots' | 'spread' | 'leave'

/** Asks what becomes of posts that missed their time during a pause. */
export function MissedDialog({ postIds, onClose }: { postIds: readonly PostId[]; onClose: () => void }) {
  const zone = useZone()
  const [choice, setChoice] = useState<Choice>('slots')
  const [apart, setApart] = useState('15')
  const move = useMutation({
    mutationFn: (how: Partial<BulkPosts>) =>
      call('bulkPosts', { body: { action: 'move', post_ids: [...postIds], ...how } }),
    onSuccess: ({ done, refused }) => {
      if (done.length > 0)
        announce({ kind: 'done', message: `${counted(done.length, 'post')} planned again.` })
      if (refused.length === 0) onClose()
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
  const go = () => {
    if (choice === 'leave') onClose()
    else if (choice === 'slots') move.mutate({ next_slots: true })
    else {
      const local = localAt(serverNow() + MINUTE_MS, zone)
      move.mutate({ publish_at: { local, timezone: zone }, apart_minutes: Number(apart) })
    }
  }
  const refused = move.data?.refused ?? []
  const several = postIds.length > 1
  const option = (value: Choice, label: string, description: string) => (
    <Radio
      label={label}
      description={description}
      checked={choice === value}
      onChange={() => setChoice(value)}
    />
  )
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${counted(postIds.length, 'post')} missed ${several ? 'their' : 'its'} time`}
    >
      <Stack pt="0.25rem">
        {refused.length > 0 ? (
          <div role="alert">
            <p>{counted(refused.length, 'post')} could not be moved and wait under “Needs attention”:</p>
            <ul>
              {[...new Set(refused.map(({ message }) => message))].map((message) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          </div>
        ) : (
          <fieldset aria-label="What happens to them">
            <Stack gap="sm">
              {option('slots', 'Move to the next free slots', 'Of their posting schedules, in order.')}
              {option(
                'spread',
                several ? 'Publish now, one after the other' : 'Publish now',
                several ? 'The first goes out in a minute.' : 'It goes out in a minute.',
              )}
              {choice === 'spread' && several && (
                <Box pl="xl">
                  <ApartField value={apart} onChange={setApart} />
                </Box>
              )}
              {option('leave', 'Leave them', 'They wait under “Needs attention” in the queue.')}
            </Stack>
          </fieldset>
        )}
        {move.error && <InlineAlert>{messageOf(move.error, TEXTS.unknownError)}</InlineAlert>}
        <Group justify="flex-end" gap="xs">
          {refused.length > 0 ? (
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          ) : (
            <Button loading={move.isPending} onClick={go}>
              {CONFIRM[choice]}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

const CONFIRM: Record<Choice, string> = { slots: 'Move', spread: 'Publish', leave: 'Leave them' }
