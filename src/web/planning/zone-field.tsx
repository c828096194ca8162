import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ComponentProps } from 'react'
import type { Brand } from '#contract/brands.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_POSTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { TimeZoneSelect } from '#web/ui/time-zone-select.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { assertAgreed, Moves, MovesPosts, type Move } from './moves.tsx'
import { Part } from './part.tsx'
import { zoneName } from '#web/lib/moments.ts'

type Props = {
  brand: Brand
  /** How many posts wait in its posting schedules. */
  waiting: number
}

/** A zone to agree to, and the posts that it moves; null stands for the user's. */
type ZoneRequest = { readonly timezone: string | null; readonly moves: readonly Move[] }

/** Asks what a zone would move, and sets it. @param onSaved once the brand has it */
function useZoneChange(brand: Brand, onSaved: () => void) {
  const [asked, setAsked] = useState<ZoneRequest | null>(null)
  const preview = (timezone: string | null) =>
    call('previewBrandZone', { params: { brandId: brand.brand_id }, body: { timezone } })
  const save = useMutation({
    mutationFn: async ({ timezone, moves }: ZoneRequest) => {
      if (moves.length > 0) assertAgreed((await preview(timezone)).moves, moves)
      const body = { brand_id: brand.brand_id, title: brand.title, timezone, moves: moves.length }
      return call('renameBrand', { body })
    },
    onSuccess: async () => {
      setAsked(null)
      void queryClient.invalidateQueries(ANY_POSTS)
      void queryClient.invalidateQueries(ANY_SCHEDULES)
      await queryClient.invalidateQueries(brandsQuery)
      onSaved()
    },
    // Other posts move by now: they are shown anew, and how many wait in each of them.
    onError: (error, { timezone }) => {
      const isOther =
        error instanceof MovesPosts || (error instanceof ApiProblem && error.code === 'posts_move')
      if (!isOther) return
      void queryClient.invalidateQueries(ANY_SCHEDULES)
      ask.mutate(timezone)
    },
  })
  const ask = useMutation({
    mutationFn: preview,
    onSuccess: ({ moves }, timezone) => {
      if (moves.length === 0) save.mutate({ timezone, moves })
      else setAsked({ timezone, moves })
    },
  })
  return { asked, setAsked, save, ask }
}

/** The brand's time zone. A new one keeps the clock times of posts in its posting schedules, after a question. */
export function ZoneField({ brand, waiting }: Props) {
  const own = useOwnZone()
  const [isOpen, setOpen] = useState(false)
  const change = useRef<HTMLButtonElement>(null)
  const { asked, setAsked, save, ask } = useZoneChange(brand, () => {
    setOpen(false)
    change.current?.focus()
  })
  const choose = (timezone: string | null) => {
    if (timezone === brand.timezone) return setOpen(false)
    if (waiting > 0 && (timezone ?? own) !== (brand.timezone ?? own)) ask.mutate(timezone)
    else save.mutate({ timezone, moves: [] })
  }
  const zone = brand.timezone ?? own
  const failure = save.error ?? ask.error
  return (
    <Part title="Time zone">
      <Group component="p" gap="0.25rem 0.5rem">
        {zoneName(zone)}
        {brand.timezone === null && (
          <Text span c="dimmed" size="xs">
            {' '}
            (yours)
          </Text>
        )}
        <Button
          ref={change}
          size="compact-xs"
          variant="default"
          aria-expanded={isOpen}
          aria-label={`Change the time zone of ${brand.title}`}
          onClick={() => setOpen(!isOpen)}
        >
          Change
        </Button>
      </Group>
      {isOpen && (
        <Stack gap="xs" align="flex-start" w="min(100%, 26rem)">
          <TimeZoneSelect value={asked?.timezone ?? zone} onChange={choose} />
          {brand.timezone !== null && (
            <Button size="compact-sm" variant="subtle" onClick={() => choose(null)}>
              Use mine: {zoneName(own)}
            </Button>
          )}
        </Stack>
      )}
      {asked && (
        <MoveQuestion
          asked={asked}
          own={own}
          busy={save.isPending}
          error={save.error instanceof MovesPosts ? OTHERS_MOVE : save.error}
          onConfirm={() => save.mutate(asked)}
          onKeep={() => setAsked(null)}
          asker={change}
        />
      )}
      {!asked && failure && <InlineAlert>{messageOf(failure, TEXTS.unknownError)}</InlineAlert>}
    </Part>
  )
}

const OTHERS_MOVE = new Error('Which posts move has changed. Check again and confirm.')

type QuestionProps = Pick<ComponentProps<typeof Confirm>, 'busy' | 'onConfirm' | 'onKeep' | 'asker'> & {
  asked: ZoneRequest
  own: string
  error: Error | null
}

const MoveQuestion = ({ asked: { timezone, moves }, own, error, ...confirm }: QuestionProps) => (
  <>
    <Moves moves={moves} timezone={null} />
    <Confirm
      question={
        <>
          <strong>Change to {zoneName(timezone ?? own)} time?</strong> Posts in this brand's schedules keep
          their time of day, so they go out earlier or later than before.
        </>
      }
      action={`Change and move ${counted(moves.length, 'post')}`}
      danger={false}
      failure={error && messageOf(error, TEXTS.unknownError)}
      {...confirm}
    />
  </>
)
