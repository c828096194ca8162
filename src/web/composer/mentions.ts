const OFFERED_MAX = 6

/** The part of a mention before the caret, without its `@`; null: none is being typed. */
export const mentionAt = (text: string, caret: number): string | null =>
  /(?:^|[\s(])@([\p{L}\p{N}_.]{0,30})$/u.exec(text.slice(0, caret))?.[1] ?? null

/**
 * The mentions that begin with what is typed: a user's own accounts, then others by how lately they were mentioned.
 * @param typed without the `@` @param own with it @param captions the latest first
 */
export function suggestMentions(
  typed: string,
  own: readonly string[],
  captions: readonly string[],
): string[] {
  const others = captions.flatMap(
    (caption) => caption.match(/(?<![\p{L}\p{N}_.@])@[\p{L}\p{N}_][\p{L}\p{N}_.]*/gu) ?? [],
  )
  // A full stop that ends a sentence is no part of a name.
  const names = [...own, ...others.map((name) => name.replace(/\.+$/, ''))]
  const start = `@${typed}`.toLowerCase()
  const offered = new Map<string, string>()
  for (const name of names) {
    const key = name.toLowerCase()
    if (key.startsWith(start) && key !== start && !offered.has(key)) offered.set(key, name)
  }
  return [...offered.values()].slice(0, OFFERED_MAX)
}
