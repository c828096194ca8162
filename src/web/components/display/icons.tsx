/** How every icon is drawn; the word beside it says what it means, so screen readers pass it over. */
export const ICON = { size: 18, stroke: 1.75, 'aria-hidden': true } as const
