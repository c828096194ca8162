import { Checkbox } from '@mantine/core'
import { INSTAGRAM_CAPTION_MAX_CHARS, InstagramPostInfo } from '#contract/platforms/instagram.ts'
import { CountedText } from '#web/ui/counted-text.tsx'

export type InstagramDraft = { readonly caption: string; readonly shareToFeed: boolean }
export const EMPTY_INSTAGRAM_DRAFT: InstagramDraft = { caption: '', shareToFeed: true }

/** The `post_info` that a draft makes; null: the caption is too long, which its field says. */
export function instagramPostInfo({ caption, shareToFeed }: InstagramDraft): InstagramPostInfo | null {
  const parsed = InstagramPostInfo.safeParse({ caption, media_type: 'VIDEO', share_to_feed: shareToFeed })
  return parsed.success ? parsed.data : null
}

type Props = {
  draft: InstagramDraft
  onChange: (draft: InstagramDraft) => void
  error: string | null
  disabled: boolean
}

/** What Instagram asks for beside the video. */
export function InstagramFields({ draft, onChange, error, disabled }: Props) {
  return (
    <>
      <CountedText
        label="Caption"
        value={draft.caption}
        onChange={(caption) => onChange({ ...draft, caption })}
        max={INSTAGRAM_CAPTION_MAX_CHARS}
        error={error}
        disabled={disabled}
      />
      <Checkbox
        label="Share to feed"
        description="Also shown in the feed of the profile, not only among its reels."
        checked={draft.shareToFeed}
        onChange={(event) => onChange({ ...draft, shareToFeed: event.currentTarget.checked })}
        disabled={disabled}
      />
    </>
  )
}
