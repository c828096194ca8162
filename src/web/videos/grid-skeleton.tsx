import { Skeleton, VisuallyHidden } from '@mantine/core'
import { Delayed } from '#web/ui/skeletons.tsx'
import classes from './videos.module.css'

/** Cards that are still loading. */
export const GridSkeleton = ({ cards = 14 }: { cards?: number }) => (
  <Delayed>
    <div>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <div className={classes.skeletons} aria-hidden="true">
        {Array.from({ length: cards }, (_, card) => (
          <div key={card}>
            <Skeleton style={{ aspectRatio: '9 / 16' }} radius="md" />
            <Skeleton height={12} width="70%" mt={12} />
            <Skeleton height={12} width="45%" mt={8} mb={16} />
          </div>
        ))}
      </div>
    </div>
  </Delayed>
)
