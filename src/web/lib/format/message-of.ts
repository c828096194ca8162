/** The sentence of a failure for people; `otherwise` where there is none. */
export const messageOf = (error: unknown, otherwise: string): string =>
  error instanceof Error && error.message !== '' ? error.message : otherwise
