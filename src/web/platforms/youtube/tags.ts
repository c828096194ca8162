/** "#bakery, sour dough" are two; one that is named twice counts once. */
export function tagsIn(typed: string): string[] {
  const tags = typed
    .split(/[,\n]/)
    .map((tag) => tag.replace(/\s+/g, ' ').trim().replace(/^#\s*/, ''))
    .filter((tag) => tag !== '')
  return [...new Map(tags.map((tag) => [tag.toLowerCase(), tag])).values()]
}

/** The tags that a comma ends, and what is being typed after them: a tag may have spaces. */
export function splitTags(typed: string): { readonly complete: readonly string[]; readonly rest: string } {
  const start = typed.search(/[^,\n]*$/)
  return { complete: tagsIn(typed.slice(0, start)), rest: typed.slice(start).trimStart() }
}

export const joinTags = (complete: readonly string[], rest = ''): string => [...complete, rest].join(', ')
