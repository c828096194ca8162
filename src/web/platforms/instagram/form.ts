import { MAIN_API } from '#contract/api/main-api.ts'
import type { InstagramPostInfo } from '#contract/platforms/instagram.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import type { SingleForm } from '#web/platforms/kit/panel.ts'
import { serverMessageOf } from '#web/api/problem-reason.ts'
import { instagramPanel, type InstagramValue } from './panel.tsx'

/** One video to one Instagram account. The form's file limit is the specification's. */
export const instagramForm: SingleForm<InstagramValue, InstagramPostInfo> = {
  panel: instagramPanel,
  file: MAIN_API.postInstagramMedia.file,
  fileHelp: 'MP4 or MOV, under 100 MB, 3 seconds to 15 minutes.',
  waitsForFile: true,
  texts: {
    success: TEXTS.uploadInitiated,
    failure: (error) => TEXTS.uploadFailedPrefix + (serverMessageOf(error) ?? TEXTS.unknownError),
  },
  post: ({ info, accountId, ...controls }) =>
    call('postInstagramMedia', { body: { post_info: info, accountId }, ...controls }),
}
