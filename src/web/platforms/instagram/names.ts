/** "@maria, sam" are two people; one who is named twice counts once. */
export function namesIn(typed: string): string[] {
  const names = typed
    .split(/[\s,]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter((name) => name !== '')
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()]
}

/** The names that are complete, and what is being typed after them. */
export function splitNames(typed: string): { readonly complete: readonly string[]; readonly rest: string } {
  const start = typed.search(/[^\s,]*$/)
  return { complete: namesIn(typed.slice(0, start)), rest: typed.slice(start) }
}

export const joinNames = (complete: readonly string[], rest = ''): string => [...complete, rest].join(' ')
