/**
 * For every `Select`: a list that is laid out in the page stands at its top until it has been placed, and the page jumps
 * there when a key opens it.
 */
export const OPENS_IN_VIEW = { floatingStrategy: 'fixed' } as const
