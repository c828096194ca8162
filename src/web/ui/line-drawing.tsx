import type { ReactNode } from 'react'

/** A drawing of plain strokes on a 24 by 24 grid, as large as an icon. */
export const LineDrawing = ({ children }: { children: ReactNode }) => (
  <svg
    viewBox="0 0 24 24"
    width="18"
    height="18"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    {children}
  </svg>
)
