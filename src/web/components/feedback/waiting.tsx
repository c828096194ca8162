import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { Card } from '#web/components/display/card.tsx'

/** Below this a flash of grey would disturb more than it tells. */
const QUIET_MS = 200

/** Shows its children after a moment, so that what comes quickly comes without a flash. Their room is kept meanwhile. */
export function AfterAMoment({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  return <div style={{ display: 'contents', visibility: late ? 'inherit' : 'hidden' }}>{children}</div>
}

/** Stands for a list that is on its way: rows of its real height (px), in its card. */
export function WaitingRows({ rows = 3, height = 56 }: { rows?: number; height?: number }) {
  return (
    <AfterAMoment>
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
    </AfterAMoment>
  )
}

/** Stands for a form that is on its way: labels over fields of their real height (px). */
export function WaitingFields({ heights }: { heights: readonly number[] }) {
  return (
    <AfterAMoment>
      <VisuallyHidden component="output">Loading</VisuallyHidden>
      <div aria-hidden="true" style={{ display: 'flex', flexDirection: 'column', gap: 16 }}>
        {heights.map((height, field) => (
          <div key={field}>
            <Skeleton height={12} width={96} mt={4} mb={8} />
            <Skeleton height={height} radius="md" />
          </div>
        ))}
      </div>
    </AfterAMoment>
  )
}
