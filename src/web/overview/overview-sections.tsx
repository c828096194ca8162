import type { Overview } from '#contract/overview.ts'
import { useNow } from '#web/lib/use-now.ts'
import { useZone } from '#web/ui/zone.tsx'
import { Checklist } from './checklist.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import classes from './overview.module.css'
import { ComingUp, RecentlyPublished } from './posts-at-a-glance.tsx'
import { TwoWeeks } from './two-weeks.tsx'

/** The overview's sections, most urgent first. */
export default function OverviewSections({ overview }: { overview: Overview }) {
  const { first_steps, relink, attention, next, published, days, timezone } = overview
  const zone = useZone()
  const now = useNow()
  return (
    <>
      <NeedsAttention relink={relink} attention={attention} zone={zone} now={now} />
      <Checklist done={first_steps} />
      {first_steps.post && (
        <>
          <div className={classes.columns}>
            <ComingUp next={next} zone={zone} now={now} />
            <RecentlyPublished published={published} zone={zone} now={now} />
          </div>
          <TwoWeeks days={days} daysOf={timezone === zone ? null : timezone} />
        </>
      )}
    </>
  )
}
