import type { FormFile } from '#contract/http/endpoint.ts'
import { TEXTS } from '#contract/texts.ts'

/** Some systems give no type for a video: its contents are checked next. */
const mayBeVideo = ({ type }: Pick<File, 'type'>): boolean => type === '' || type.startsWith('video/')

/** Checks a chosen file before its contents are read. null: nothing is wrong. */
export function fileErrorOf(
  file: Pick<File, 'type' | 'size'> | null,
  part: Pick<FormFile, 'maxBytes' | 'missing' | 'tooLarge'>,
): string | null {
  if (file === null) return part.missing
  if (!mayBeVideo(file)) return TEXTS.notAVideo
  return file.size > part.maxBytes ? part.tooLarge : null
}
