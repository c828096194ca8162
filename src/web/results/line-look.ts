/** How the lines of a chart differ: by colour, dashes and the shape of their points, so that colour alone never decides. */
export type LineLook = { readonly color: string; readonly dash: string; readonly marker: string }

/** Shapes around 0, 0, of about the same area. */
const MARKERS = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z',
  'M-3.5 -3.5h7v7h-7z',
  'M0 -4.5L4.5 3.5H-4.5z',
  'M0 -5L5 0L0 5L-5 0z',
  'M0 4.5L4.5 -3.5H-4.5z',
  'M-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z',
] as const
const DASHES = ['none', '7 3', '2 3', '10 3 2 3', '5 2 1 2 1 2', '12 4'] as const

/** Lines that can be distinguished at a glance; from here on colours come again, with other dashes. */
export const LINES_MAX = MARKERS.length

export function lineLook(nth: number): LineLook {
  const round = Math.floor(nth / LINES_MAX)
  return {
    color: `var(--line-${(nth % LINES_MAX) + 1})`,
    marker: MARKERS[(nth + round) % LINES_MAX] ?? MARKERS[0],
    dash: DASHES[(nth + round) % LINES_MAX] ?? DASHES[0],
  }
}
