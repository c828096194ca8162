/** For every `Select`: with absolute positioning, the page jumps to its top when a key opens the list. */
export const OPENS_IN_VIEW = { floatingStrategy: 'fixed' } as const
