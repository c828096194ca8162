import { z } from 'zod'
import {
  TIKTOK_DEFAULT_PRIVACY,
  TikTokPostInfo,
  TikTokPrivacy,
  type TikTokAccountOptions,
} from '#contract/platforms/tiktok.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { messagesOf } from '#web/platforms/kit/field-errors.ts'
import type { PanelContext, Validation } from '#web/platforms/kit/panel.ts'

/** null: the user has not chosen, and the default applies. */
export type TikTokChoices = z.infer<typeof TikTokChoices>
export const TikTokChoices = z.object({
  privacy: TikTokPrivacy.nullable(),
  comment: z.boolean().nullable(),
  duet: z.boolean().nullable(),
  stitch: z.boolean().nullable(),
  coverMs: z.int().min(0),
})

export const EMPTY_CHOICES: TikTokChoices = {
  privacy: null,
  comment: null,
  duet: null,
  stitch: null,
  coverMs: 0,
}

const Info = TikTokPostInfo.omit({ title: true })
export type TikTokFormInfo = z.infer<typeof Info>

/** The account's options, and whether TikTok's audit forbids preselected choices. */
type Rules = { readonly options: TikTokAccountOptions; readonly auditForm: boolean }

export const rulesOf = ({ options, auditForm }: PanelContext): Rules | null =>
  options?.platform === 'tiktok' ? { options, auditForm } : null

/** The allowed choices, with defaults for the rest. */
export function resolveChoices(value: TikTokChoices, { options, auditForm }: Rules) {
  const allowed = (chosen: boolean | null, isOff: boolean) => !isOff && (chosen ?? !auditForm)
  return {
    privacy: privacyOf(value.privacy, options.privacy_levels, auditForm),
    comment: allowed(value.comment, options.comment_disabled),
    duet: allowed(value.duet, options.duet_disabled),
    stitch: allowed(value.stitch, options.stitch_disabled),
  }
}

function privacyOf(
  chosen: TikTokPrivacy | null,
  offered: readonly TikTokPrivacy[],
  auditForm: boolean,
): TikTokPrivacy | null {
  if (chosen !== null && offered.includes(chosen)) return chosen
  if (auditForm) return null
  // A choice that this account does not offer must not become a wider one.
  if (chosen === null && offered.includes(TIKTOK_DEFAULT_PRIVACY)) return TIKTOK_DEFAULT_PRIVACY
  return offered.length === 1 ? (offered[0] ?? null) : null
}

/** The choices as TikTok's words, or the errors. */
export function validateChoices(value: TikTokChoices, context: PanelContext): Validation<TikTokFormInfo> {
  const rules = rulesOf(context)
  if (rules === null) return { ok: false, errors: {} }
  const choices = resolveChoices(value, rules)
  const parsed = Info.safeParse({
    privacy_level: choices.privacy ?? undefined,
    disable_comment: !choices.comment,
    disable_duet: !choices.duet,
    disable_stitch: !choices.stitch,
    video_cover_timestamp_ms: value.coverMs,
  })
  const errors = {
    ...(parsed.success ? {} : messagesOf(parsed.error)),
    // The API has a default, but the form must not choose who sees a video.
    ...(choices.privacy === null && { privacy_level: 'Choose who can see this video.' }),
    ...(isPastTheEnd(value.coverMs, context.video) && {
      video_cover_timestamp_ms: 'The video is shorter than that.',
    }),
  }
  return parsed.success && Object.keys(errors).length === 0
    ? { ok: true, info: parsed.data }
    : { ok: false, errors }
}

const isPastTheEnd = (coverMs: number, video: VideoFacts | null): boolean =>
  video !== null && video.container !== 'unknown' && coverMs > video.duration_s * 1000
