import { API } from '#contract/api.ts'
import type { InstagramPostInfo } from '#contract/platforms/instagram.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/client/api.ts'
import type { SingleForm } from '#web/video/panel.ts'
import { serverMessageOf } from '#web/video/carry.ts'
import { instagramPanel, type InstagramValue } from './panel.tsx'

/** One video to one Instagram account, as the specification has its form: with a limit of its own on the file. */
export const instagramForm: SingleForm<InstagramValue, InstagramPostInfo> = {
  panel: instagramPanel,
  file: API.postInstagramMedia.file,
  fileHelp: 'MP4 or MOV, under 100 MB, 3 seconds to 15 minutes.',
  waitsForFile: true,
  words: {
    success: TEXTS.uploadInitiated,
    failure: (error) => TEXTS.uploadFailedPrefix + (serverMessageOf(error) ?? TEXTS.unknownError),
  },
  post: ({ info, accountId, ...how }) =>
    call('postInstagramMedia', { body: { post_info: info, accountId }, ...how }),
}
