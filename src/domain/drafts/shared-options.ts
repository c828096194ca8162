import type { PlatformId } from '#contract/platforms/index.ts'
import { PROPOSED_OPTIONS } from '#contract/platforms/proposed-options.ts'

/**
 * The options of a platform that most of these accounts have, at least two of them: a draft shares those. What one account alone has
 * stays its own, or an account of another client that is added later would get it. @returns null: they share nothing
 */
export function findSharedOptions<Options extends object>(all: readonly Options[]): Options | null {
  const groups = new Map<string, Options[]>()
  for (const options of all) {
    const key = JSON.stringify(options)
    groups.set(key, [...(groups.get(key) ?? []), options])
  }
  const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  return largest.length > 1 ? (largest[0] ?? null) : null
}

/** The options of a post without those that its text proposes: made again, these follow the text. */
export function withoutProposed(
  platform: PlatformId,
  { options, text }: { readonly options: Readonly<Record<string, unknown>>; readonly text: string },
): Record<string, unknown> {
  const proposed = PROPOSED_OPTIONS[platform]
  const chosen = Object.entries(options).filter(([name, value]) => proposed[name]?.(text) !== value)
  return Object.fromEntries(chosen)
}
