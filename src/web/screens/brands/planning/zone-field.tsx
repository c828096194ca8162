import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ComponentProps } from 'react'
import type { Brand } from '#contract/brands.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/client/api.ts'
import { ANY_QUEUES } from '#web/client/planning.ts'
import { ANY_POSTS, brandsQuery, queryClient } from '#web/client/queries.ts'
import { Confirm } from '#web/components/feedback/confirm.tsx'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { TimeZoneSelect } from '#web/components/time/time-zone-select.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import { counted } from '#web/lib/format/amounts.ts'
import { messageOf } from '#web/lib/format/message-of.ts'
import { Moves, type Move } from './moves.tsx'
import classes from './planning.module.css'
import { zoneName } from '#web/lib/format/moments.ts'

type Props = {
  brand: Brand
  /** Posts in its queues. */
  waiting: number
}

/** A zone to agree to, and the posts that it moves; null stands for the user's. */
type Asked = { readonly timezone: string | null; readonly moves: readonly Move[] }

/** The brand's time zone. A new one keeps the clock times of posts in its queues, after a question. */
export function ZoneField({ brand, waiting }: Props) {
  const own = useZone()
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  const change = useRef<HTMLButtonElement>(null)
  const save = useMutation({
    mutationFn: ({ timezone, moves }: Asked) =>
      call('renameBrand', {
        body: { brand_id: brand.brand_id, title: brand.title, timezone, moves: moves.length },
      }),
    onSuccess: async () => {
      setOpen(false)
      setAsked(null)
      void queryClient.invalidateQueries(ANY_POSTS)
      void queryClient.invalidateQueries(ANY_QUEUES)
      await queryClient.invalidateQueries(brandsQuery)
      change.current?.focus()
    },
    // Another number of posts moves by now: they are shown anew.
    onError: (error, { timezone }) =>
      error instanceof ApiProblem && error.code === 'posts_move' ? ask.mutate(timezone) : undefined,
  })
  const ask = useMutation({
    mutationFn: (timezone: string | null) =>
      call('previewBrandZone', { params: { brandId: brand.brand_id }, body: { timezone } }),
    onSuccess: ({ moves }, timezone) => {
      if (moves.length === 0) save.mutate({ timezone, moves })
      else setAsked({ timezone, moves })
    },
  })
  const choose = (timezone: string | null) => {
    if (timezone === brand.timezone) return setOpen(false)
    if (waiting > 0 && (timezone ?? own) !== (brand.timezone ?? own)) ask.mutate(timezone)
    else save.mutate({ timezone, moves: [] })
  }
  const zone = brand.timezone ?? own
  const failure = save.error ?? ask.error
  return (
    <div className={classes.part}>
      <h2 className={classes.label}>Time zone</h2>
      <p className={classes.line}>
        {zoneName(zone)}
        {brand.timezone === null && <span className={classes.muted}> (yours)</span>}
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
      </p>
      {isOpen && (
        <div className={classes.zone}>
          <TimeZoneSelect value={asked?.timezone ?? zone} onChange={choose} />
          {brand.timezone !== null && (
            <Button size="compact-sm" variant="subtle" onClick={() => choose(null)}>
              Use mine: {zoneName(own)}
            </Button>
          )}
        </div>
      )}
      {asked && (
        <MoveQuestion
          asked={asked}
          own={own}
          busy={save.isPending}
          error={save.error}
          onConfirm={() => save.mutate(asked)}
          onKeep={() => setAsked(null)}
          asker={change}
        />
      )}
      {!asked && failure && <InlineAlert>{messageOf(failure, TEXTS.unknownError)}</InlineAlert>}
    </div>
  )
}

type QuestionProps = Pick<ComponentProps<typeof Confirm>, 'busy' | 'onConfirm' | 'onKeep' | 'asker'> & {
  asked: Asked
  own: string
  error: Error | null
}

/** What moves from when to when, before it is agreed to. */
const MoveQuestion = ({ asked: { timezone, moves }, own, error, ...confirm }: QuestionProps) => (
  <>
    <Moves moves={moves} timezone={null} />
    <Confirm
      question={
        <>
          <strong>Move to {zoneName(timezone ?? own)} time?</strong> Posts in its queues keep the time on the
          clock, so they go out at another moment.
        </>
      }
      action={`Change and move ${counted(moves.length, 'post')}`}
      danger={false}
      failure={error && messageOf(error, TEXTS.unknownError)}
      {...confirm}
    />
  </>
)
