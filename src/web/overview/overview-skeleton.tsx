import { Skeleton, VisuallyHidden } from '@mantine/core'
import { Card } from '#web/ui/card.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import classes from './overview.module.css'

/** The overview's skeleton. */
export function OverviewSkeleton() {
  return (
    <Delayed>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <div className={classes.columns} aria-hidden="true">
        <SectionSkeleton />
        <SectionSkeleton />
      </div>
      <div aria-hidden="true">
        <Skeleton height={12} width={140} mb={13} mt={5} />
        <Card>
          <Skeleton height={200} />
        </Card>
      </div>
    </Delayed>
  )
}

const SectionSkeleton = () => (
  <div>
    <Skeleton height={12} width={120} mb={13} mt={5} />
    <Card flush>
      {['62%', '44%', '53%'].map((width) => (
        <div key={width} className={classes.row}>
          <div className={classes.head}>
            <Skeleton height={64} width={36} radius="sm" />
            <div className={classes.what}>
              <Skeleton height={12} width={width} mb={10} />
              <Skeleton height={10} width="38%" />
            </div>
            <div className={classes.deliveries}>
              <Skeleton height={12} width="72%" />
            </div>
          </div>
        </div>
      ))}
    </Card>
  </div>
)
