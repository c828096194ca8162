/** The props of every icon. Hidden from screen readers, which read the word next to it. */
export const ICON = { size: 18, stroke: 1.75, 'aria-hidden': true } as const
