import { MAIN_API } from '#contract/api/main-api.ts'
import { tiktokSourceInfo, type TikTokPostInfo } from '#contract/platforms/tiktok.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import type { SingleForm } from '#web/platforms/kit/panel.ts'
import { reasonOf } from '#web/api/problem-reason.ts'
import { tiktokPanel, type TikTokValue } from './panel.tsx'

/** One video to one TikTok account. */
export const tiktokForm: SingleForm<TikTokValue, TikTokPostInfo> = {
  panel: tiktokPanel,
  file: MAIN_API.postTikTokVideo.file,
  fileHelp: 'MP4, MOV or WebM, up to 4 GB.',
  waitsForFile: false,
  texts: {
    success: TEXTS.uploadInitialized,
    // A known reason takes the place of the last sentence (ruling R17).
    failure: (error) => {
      const reason = reasonOf(error)
      return reason === null
        ? TEXTS.uploadFailed
        : TEXTS.uploadFailed.replace('Check console for details.', () => reason)
    },
  },
  post: ({ file, info, accountId, ...controls }) =>
    call('postTikTokVideo', {
      body: { post_info: info, source_info: tiktokSourceInfo(file.size), accountId },
      file,
      ...controls,
    }),
}
