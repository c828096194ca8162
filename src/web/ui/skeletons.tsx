import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { Card } from './card.tsx'

/** Faster answers show no skeleton, which would only flash. */
const SKELETON_DELAY_MS = 200

/** Shows its children after a short delay, to avoid a flash. Their space is reserved meanwhile. */
export function Delayed({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return <div style={{ display: 'contents', visibility: late ? 'inherit' : 'hidden' }}>{children}</div>
}

/** The skeleton of a list in a card; `height`: of a real row, in px. */
export function RowsSkeleton({ rows = 3, height = 56 }: { rows?: number; height?: number }) {
  return (
    <Delayed>
      <div>
        <VisuallyHidden component="output">Loading</VisuallyHidden>
        <Card flush aria-hidden="true">
          {Array.from({ length: rows }, (_, row) => (
            <div
              key={row}
              style={{
                display: 'flex',
                alignItems: 'center',
                justifyContent: 'space-between',
                gap: 16,
                height,
                padding: '0 16px',
                borderTop: row === 0 ? 'none' : '1px solid var(--r-line)',
              }}
            >
              <Skeleton height={12} width={`${34 - row * 6}%`} />
              <Skeleton height={12} width={64} />
            </div>
          ))}
        </Card>
      </div>
    </Delayed>
  )
}

/** The skeleton of a form: labels and fields of the given heights (px). */
export function FieldsSkeleton({ heights }: { heights: readonly number[] }) {
  return (
    <Delayed>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <div aria-hidden="true" style={{ display: 'flex', flexDirection: 'column', gap: 16 }}>
        {heights.map((height, field) => (
          <div key={field}>
            <Skeleton height={12} width={96} mt={4} mb={8} />
            <Skeleton height={height} radius="md" />
          </div>
        ))}
      </div>
    </Delayed>
  )
}
