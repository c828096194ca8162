/** The message of an error, or `otherwise` if it has none. */
export const messageOf = (error: unknown, otherwise: string): string =>
  error instanceof Error && error.message !== '' ? error.message : otherwise
