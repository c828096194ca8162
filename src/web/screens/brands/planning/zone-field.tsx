import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Brand } from '#contract/brands.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/client/api.ts'
import { ANY_QUEUES } from '#web/client/planning.ts'
import { ANY_POSTS, brandsQuery, queryClient } from '#web/client/queries.ts'
import { Confirm } from '#web/components/feedback/confirm.tsx'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { TimeZoneSelect } from '#web/components/time/time-zone-select.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import { counted } from '#web/lib/format/amounts.ts'
import { messageOf } from '#web/lib/format/message-of.ts'
import classes from './planning.module.css'
import { zoneName } from '#web/lib/format/moments.ts'

type Props = {
  brand: Brand
  /** Posts in its queues. */
  waiting: number
}

/** The brand's time zone. A new one keeps the clock times of posts in its queues, after a question. */
export function ZoneField({ brand, waiting }: Props) {
  const own = useZone()
  const [isOpen, setOpen] = useState(false)
  /** A zone to agree to; null stands for the user's. */
  const [asked, setAsked] = useState<{ timezone: string | null } | null>(null)
  const change = useRef<HTMLButtonElement>(null)
  const save = useMutation({
    mutationFn: (timezone: string | null) =>
      call('renameBrand', { body: { brand_id: brand.brand_id, title: brand.title, timezone } }),
    onSuccess: async () => {
      setOpen(false)
      setAsked(null)
      void queryClient.invalidateQueries(ANY_POSTS)
      void queryClient.invalidateQueries(ANY_QUEUES)
      await queryClient.invalidateQueries(brandsQuery)
      change.current?.focus()
    },
  })
  const choose = (timezone: string | null) => {
    if (timezone === brand.timezone) return setOpen(false)
    if (waiting > 0 && (timezone ?? own) !== (brand.timezone ?? own)) setAsked({ timezone })
    else save.mutate(timezone)
  }
  const zone = brand.timezone ?? own
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
        <Confirm
          question={
            <>
              <strong>Move to {zoneName(asked.timezone ?? own)} time?</strong> The {counted(waiting, 'post')}{' '}
              in its queues keep the time on the clock, so {waiting === 1 ? 'it goes' : 'they go'} out at
              another moment.
            </>
          }
          action="Change time zone"
          danger={false}
          busy={save.isPending}
          failure={save.error && messageOf(save.error, TEXTS.unknownError)}
          onConfirm={() => save.mutate(asked.timezone)}
          onKeep={() => setAsked(null)}
          asker={change}
        />
      )}
      {!asked && save.error && <InlineAlert>{messageOf(save.error, TEXTS.unknownError)}</InlineAlert>}
    </div>
  )
}
