import { MAIN_API } from '#contract/api/main-api.ts'
import { TEXTS } from '#contract/texts.ts'
import { unusableReason } from '#domain/video-check/post-check.ts'
import { queryClient } from '#web/api/queries.ts'
import { fileErrorOf } from './file-error.ts'
import { factsQuery } from './use-video-check.ts'

const PART = { ...MAIN_API.uploadVideo.file, missing: TEXTS.chooseVideoFirst }

/** Finds errors before the upload that the server would refuse after it. */
export async function videoFileError(file: File): Promise<string | null> {
  const error = fileErrorOf(file, PART)
  if (error !== null) return error
  // If the reader could not be loaded, the server still checks.
  const facts = await queryClient.fetchQuery(factsQuery(file)).catch(() => null)
  return facts && unusableReason(facts)
}
