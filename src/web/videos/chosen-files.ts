import { DRAFT_TEXT_MAX_CHARS, NEW_POSTS_MAX } from '#contract/limits.ts'
import { counted } from '#web/lib/amounts.ts'
import { fileErrorOf } from './file-error.ts'

/** A video of several, and its caption from the text file of the same name; empty: there was none. */
export type ChosenVideo = { readonly file: File; readonly caption: string }

/** `notes`: sentences about files that are not used. */
export type ChosenFiles = { readonly videos: readonly ChosenVideo[]; readonly notes: readonly string[] }

/** A caption of DRAFT_TEXT_MAX_CHARS characters in any script fits. */
const CAPTION_MAX_BYTES = 65_536

/** Sorts what was dropped or chosen: videos in the order of their names, each with its caption. */
export async function sortFiles(files: readonly File[]): Promise<ChosenFiles> {
  const texts = files.filter(isText)
  const others = files.filter((file) => !isText(file))
  const videos = uniqueFiles(others.filter((file) => !isNoVideo(file))).toSorted((one, other) =>
    one.name.localeCompare(other.name, 'en', { numeric: true }),
  )
  const captions = new Map<string, string>()
  const notes = others.filter(isNoVideo).map(({ name }) => `${name} is not a video.`)
  for (const text of texts) {
    if (!videos.some((video) => baseName(video) === baseName(text))) {
      notes.push(`${text.name} has no video of the same name.`)
      continue
    }
    const caption = await readCaption(text)
    if (caption === null) notes.push(`${text.name} is too long for a caption, or is not UTF-8 text.`)
    else captions.set(baseName(text), caption)
  }
  return { videos: videos.map((file) => ({ file, caption: captions.get(baseName(file)) ?? '' })), notes }
}

/** Why so many cannot be planned at once; null: they can. @param present how many the plan has already */
export const tooManyVideos = (videos: number, present = 0): string | null =>
  present + videos <= NEW_POSTS_MAX
    ? null
    : `Up to ${counted(NEW_POSTS_MAX, 'video')} can be planned at once, and these would be ${present + videos}. Choose fewer.`

const isText = ({ name, type }: File): boolean => type === 'text/plain' || /\.txt$/i.test(name)

const isNoVideo = (file: File): boolean =>
  fileErrorOf(file, { maxBytes: Number.POSITIVE_INFINITY, missing: '', tooLarge: '' }) !== null

/** The same file chosen twice would be posted twice. */
const uniqueFiles = (files: readonly File[]): File[] => [
  ...new Map(files.map((file) => [`${file.name} ${file.size}`, file])).values(),
]

const baseName = ({ name }: File): string => name.replace(/\.[^.]*$/, '').toLowerCase()

/** null: it is not UTF-8, or longer than a caption may be. */
async function readCaption(file: File): Promise<string | null> {
  if (file.size > CAPTION_MAX_BYTES) return null
  try {
    const bytes = await file.arrayBuffer()
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n').trim()
    return text.length > DRAFT_TEXT_MAX_CHARS ? null : text
  } catch {
    return null
  }
}
