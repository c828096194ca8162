import { Skeleton, VisuallyHidden } from '@mantine/core'
import { AfterAMoment } from '#web/ui/waiting.tsx'

/** Stands for a form that is on its way: labels over fields. */
export function WaitingFields({ fields = 3 }: { fields?: number }) {
  return (
    <AfterAMoment>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <div aria-hidden="true" style={{ display: 'flex', flexDirection: 'column', gap: 16 }}>
        {Array.from({ length: fields }, (_, field) => (
          <div key={field}>
            <Skeleton height={12} width={96} mb={8} />
            <Skeleton height={36} radius="md" />
          </div>
        ))}
      </div>
    </AfterAMoment>
  )
}
