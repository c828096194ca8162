import { Skeleton, VisuallyHidden } from '@mantine/core'
import { Card } from '#web/ui/card.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import classes from './queue.module.css'

/** The queue's skeleton. */
export function PostsSkeleton() {
  return (
    <Delayed>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <Skeleton height={12} width={160} mb={12} aria-hidden="true" />
      <Card flush aria-hidden="true">
        {['46%', '34%', '40%'].map((width) => (
          <div key={width} className={classes.row}>
            <div className={classes.waiting}>
              <Skeleton height={85} width={48} radius="md" />
              <div>
                <Skeleton height={12} width={width} mb={10} />
                <Skeleton height={10} width="26%" />
              </div>
              <Skeleton height={12} width={96} />
            </div>
          </div>
        ))}
      </Card>
    </Delayed>
  )
}
