import { Checkbox } from '@mantine/core'
import { z } from 'zod'
import { InstagramOptions } from '#contract/platforms/instagram.ts'
import { messagesOf } from '#web/video/form/field-errors.ts'
import type { OptionsPanel, PanelProps, Validation } from '#web/video/form/panel.ts'

export type InstagramChoices = z.infer<typeof InstagramChoices>
const InstagramChoices = z.object({ shareToFeed: z.boolean(), coverMs: z.int().min(0) })

/** Instagram's options. */
export const instagramOptions: OptionsPanel<InstagramChoices, InstagramOptions> = {
  platform: 'instagram',
  empty: { shareToFeed: true, coverMs: 0 },
  schema: InstagramChoices,
  needsOptions: false,
  validate,
  Fields,
  summary: ({ shareToFeed }) => (shareToFeed ? 'Reel and feed' : 'Reel only'),
  fromOptions,
  coverMs: ({ coverMs }) => coverMs,
  withCover: (value, coverMs) => ({ ...value, coverMs }),
}

function validate({ shareToFeed, coverMs }: InstagramChoices): Validation<InstagramOptions> {
  const parsed = InstagramOptions.safeParse({
    media_type: 'VIDEO',
    share_to_feed: shareToFeed,
    ...(coverMs > 0 && { thumb_offset: coverMs }),
  })
  return parsed.success ? { ok: true, info: parsed.data } : { ok: false, errors: messagesOf(parsed.error) }
}

function fromOptions(options: unknown): InstagramChoices {
  const parsed = InstagramOptions.safeParse(options)
  if (!parsed.success) return instagramOptions.empty
  return { shareToFeed: parsed.data.share_to_feed, coverMs: parsed.data.thumb_offset ?? 0 }
}

/** Also the field of Instagram's own form, which offers no cover. */
export function Fields<Value extends Pick<InstagramChoices, 'shareToFeed'>>({
  value,
  onChange,
  disabled,
}: PanelProps<Value>) {
  return (
    <Checkbox
      label="Share to feed"
      description="Also show it on the profile's grid, not only under Reels."
      checked={value.shareToFeed}
      onChange={(event) => onChange({ ...value, shareToFeed: event.currentTarget.checked })}
      disabled={disabled}
    />
  )
}
