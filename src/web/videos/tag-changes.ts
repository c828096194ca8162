import { VideoTag, type Library, type Video } from '#contract/videos.ts'
import { tagKey } from '#domain/library/video-names.ts'

export type TagState = 'all' | 'some' | 'none'

/** The tags that the user ticked (true) or cleared (false). */
export type TagChanges = ReadonlyMap<string, boolean>

const isSame = (one: string, other: string): boolean => tagKey(one) === tagKey(other)

/** Every known tag in alphabetical order, then new ones. */
export function listTags(
  known: Library['tags'],
  videos: readonly Video[],
  changes: TagChanges,
): { tag: string; state: TagState }[] {
  const all: string[] = []
  for (const tag of [
    ...known.map((one) => one.tag),
    ...videos.flatMap(({ tags }) => tags),
    ...changes.keys(),
  ])
    if (!all.some((one) => isSame(one, tag))) all.push(tag)
  return all.map((tag) => ({ tag, state: stateOf(tag, videos, changes) }))
}

function stateOf(tag: string, videos: readonly Video[], changes: TagChanges): TagState {
  const change = changes.get(tag)
  if (change !== undefined) return change ? 'all' : 'none'
  const count = videos.filter(({ tags }) => tags.some((one) => isSame(one, tag))).length
  return count === 0 ? 'none' : count === videos.length ? 'all' : 'some'
}

/** The listed tag that equals the typed text, else a new one; null: the text is not a valid tag. */
export function typedTag(typed: string, listed: readonly { readonly tag: string }[]): string | null {
  const tag = VideoTag.safeParse(typed).data
  return tag === undefined ? null : (listed.find((one) => isSame(one.tag, tag))?.tag ?? tag)
}

/** The changes as fields of the request. */
export const sentChanges = (changes: TagChanges): { add_tags: string[]; remove_tags: string[] } => {
  const tagsOf = (wanted: boolean) => [...changes].filter(([, is]) => is === wanted).map(([tag]) => tag)
  return { add_tags: tagsOf(true), remove_tags: tagsOf(false) }
}
