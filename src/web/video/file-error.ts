import type { FormFile } from '#contract/endpoint.ts'
import { TEXTS } from '#contract/texts.ts'

/** By its type alone. Some systems do not name the type of every video; what such a file holds is read next. */
const mayBeVideo = ({ type }: Pick<File, 'type'>): boolean => type === '' || type.startsWith('video/')

/** What is wrong with a chosen file before anybody has read it; null: nothing. */
export function fileErrorOf(
  file: Pick<File, 'type' | 'size'> | null,
  part: Pick<FormFile, 'maxBytes' | 'missing' | 'tooLarge'>,
): string | null {
  if (file === null) return part.missing
  if (!mayBeVideo(file)) return TEXTS.notAVideo
  return file.size > part.maxBytes ? part.tooLarge : null
}
