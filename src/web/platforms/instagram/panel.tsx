import { z } from 'zod'
import { INSTAGRAM_CAPTION_MAX_CHARS, InstagramPostInfo } from '#contract/platforms/instagram.ts'
import { checkText } from '#domain/video-check/post-check.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import { messagesOf } from '#web/platforms/kit/field-errors.ts'
import { ShareToFeed } from './share-to-feed.tsx'
import type { Validation, Panel, PanelProps } from '#web/platforms/kit/panel.ts'

export type InstagramValue = z.infer<typeof InstagramValue>
const InstagramValue = z.object({ caption: z.string(), shareToFeed: z.boolean() })

/** The fields of the Instagram form besides video and account. */
export const instagramPanel: Panel<InstagramValue, InstagramPostInfo> = {
  platform: 'instagram',
  empty: { caption: '', shareToFeed: true },
  schema: InstagramValue,
  needsOptions: false,
  validate,
  Fields,
  textField: 'caption',
  coverMs: () => 0,
}

function validate({ caption, shareToFeed }: InstagramValue): Validation<InstagramPostInfo> {
  const parsed = InstagramPostInfo.safeParse({ caption, media_type: 'VIDEO', share_to_feed: shareToFeed })
  const problem = textProblem(caption)
  if (parsed.success && problem === null) return { ok: true, info: parsed.data }
  return { ok: false, errors: { ...(parsed.error && messagesOf(parsed.error)), caption: problem } }
}

const textProblem = (caption: string): string | null => checkText(caption, 'instagram').join(' ') || null

function Fields(props: PanelProps<InstagramValue>) {
  const { value, onChange, errors, disabled } = props
  return (
    <>
      <CountedText
        label="Caption"
        value={value.caption}
        onChange={(caption) => onChange({ ...value, caption })}
        max={INSTAGRAM_CAPTION_MAX_CHARS}
        error={textProblem(value.caption) ?? errors['caption'] ?? null}
        disabled={disabled}
        rows={5}
      />
      <ShareToFeed {...props} />
    </>
  )
}
