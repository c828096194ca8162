import { z } from 'zod'
import { hasPermission } from '#contract/accounts.ts'
import { INBOX_OPTIONS, type AccountOptions } from '#contract/platforms/index.ts'
import {
  TIKTOK_PRIVACY_LABELS,
  TIKTOK_PRIVACY_LEVELS,
  TikTokOptions,
  type TikTokPrivacy,
} from '#contract/platforms/tiktok.ts'
import { formatDuration } from '#web/lib/amounts.ts'
import { messagesOf } from '#web/platforms/kit/field-errors.ts'
import type { OptionsPanel, PanelContext, Validation } from '#web/platforms/kit/panel.ts'
import { Declaration } from './declaration.tsx'
import { EMPTY_CHOICES, resolveChoices, rulesOf, TikTokChoices, validateChoices } from './choices.ts'

/** Also what the specified form does not offer. */
export type ComposerChoices = z.infer<typeof ComposerChoices>
const ComposerChoices = TikTokChoices.extend({
  inbox: z.boolean(),
  promotional: z.boolean(),
  ownBrand: z.boolean(),
  branded: z.boolean(),
  ai: z.boolean(),
})

/** TikTok's options, as far as the account may choose them. */
export const tiktokOptions: OptionsPanel<ComposerChoices, TikTokOptions> = {
  platform: 'tiktok',
  empty: { ...EMPTY_CHOICES, inbox: false, promotional: false, ownBrand: false, branded: false, ai: false },
  schema: ComposerChoices,
  needsOptions: true,
  withoutFields: {},
  fields: ['post_mode', 'privacy_level', 'brand_organic_toggle'],
  validate,
  summary,
  fromOptions,
  coverMs: ({ coverMs }) => coverMs,
  withCover: (value, coverMs) => ({ ...value, coverMs }),
  toInbox: ({ inbox }) => inbox,
  unoffered,
  mergeOptions,
  Terms,
}

/** An option that only some of them offer can be chosen: the others then ask for a choice of their own. */
function mergeOptions(all: readonly AccountOptions[]): AccountOptions | null {
  const creators = all.filter((one) => one.platform === 'tiktok')
  const [first] = creators
  if (!first) return null
  const isOffFor = (what: 'comment_disabled' | 'duet_disabled' | 'stitch_disabled') =>
    creators.every((creator) => creator[what])
  return {
    ...first,
    privacy_levels: TIKTOK_PRIVACY_LEVELS.filter((level) =>
      creators.some(({ privacy_levels }) => privacy_levels.includes(level)),
    ),
    comment_disabled: isOffFor('comment_disabled'),
    duet_disabled: isOffFor('duet_disabled'),
    stitch_disabled: isOffFor('stitch_disabled'),
  }
}

function unoffered({ privacy, inbox }: ComposerChoices, context: PanelContext): string | null {
  const rules = rulesOf(context)
  if (rules === null || inbox || privacy === null || rules.options.privacy_levels.includes(privacy))
    return null
  return `“${TIKTOK_PRIVACY_LABELS[privacy]}” is not offered here at the moment, so choose who can see this video.`
}

/** Only of what is posted from here: a draft is posted in TikTok, which asks for consent itself. */
function Terms({ values }: { readonly values: readonly ComposerChoices[] }) {
  const posted = values.filter(({ inbox }) => !inbox)
  return posted.length > 0 && <Declaration branded={posted.some(isBranded)} />
}

/** Somebody else paid for it. What was ticked counts only while the switch is on. */
export const isBranded = ({ promotional, branded }: ComposerChoices): boolean => promotional && branded

function validate(value: ComposerChoices, context: PanelContext): Validation<TikTokOptions> {
  return value.inbox ? validateDraft(context) : validatePost(value, context)
}

/** Nothing but the video goes with a draft. */
function validateDraft({ account, video }: PanelContext): Validation<TikTokOptions> {
  const isWithheld = account !== null && hasPermission(account, 'inbox_draft') === false
  if (isWithheld) return { ok: false, errors: { post_mode: 'Allow drafts, or post directly.' } }
  const longest = INBOX_OPTIONS.tiktok.maxDurationS
  if (video !== null && video.duration_s > longest)
    return { ok: false, errors: { post_mode: `A draft may last up to ${formatDuration(longest)}.` } }
  return { ok: true, info: TikTokOptions.parse({ post_mode: 'MEDIA_UPLOAD' }) }
}

function validatePost(value: ComposerChoices, context: PanelContext): Validation<TikTokOptions> {
  const choices = validateChoices(value, context)
  const { promotional, ownBrand, branded, ai } = value
  const undisclosed = promotional && !ownBrand && !branded && { brand_organic_toggle: UNDISCLOSED }
  if (!choices.ok) return { ok: false, errors: { ...choices.errors, ...undisclosed } }
  const parsed = TikTokOptions.safeParse({
    ...choices.info,
    brand_organic_toggle: promotional && ownBrand,
    brand_content_toggle: isBranded(value),
    is_aigc: ai,
  })
  return parsed.success && !undisclosed
    ? { ok: true, info: parsed.data }
    : { ok: false, errors: { ...(parsed.error && messagesOf(parsed.error)), ...undisclosed } }
}

/** TikTok's own sentence (Content Sharing Guidelines, 2026-09-11). */
const UNDISCLOSED = 'You need to indicate if your content promotes yourself, a third party, or both.'

function summary(value: ComposerChoices, context: PanelContext): string {
  if (value.inbox) return 'Draft for the inbox'
  const rules = rulesOf(context)
  if (rules === null) return ''
  const { privacy, comment } = resolveChoices(value, rules)
  if (privacy === null) return ''
  const parts = [
    AUDIENCES[privacy],
    comment ? 'comments on' : 'comments off',
    labelOf(value)?.toLowerCase(),
    value.ai && 'AI-generated',
  ]
  return parts.filter(Boolean).join(', ')
}

const AUDIENCES: Record<TikTokPrivacy, string> = {
  PUBLIC_TO_EVERYONE: 'Public',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Private',
}

/** The label that TikTok puts on the video; null: none. */
export function labelOf(value: ComposerChoices): 'Paid partnership' | 'Promotional content' | null {
  if (isBranded(value)) return 'Paid partnership'
  return value.promotional && value.ownBrand ? 'Promotional content' : null
}

function fromOptions(options: unknown): ComposerChoices {
  const parsed = TikTokOptions.safeParse(options)
  if (!parsed.success) return tiktokOptions.empty
  const sent = parsed.data
  if (sent.post_mode === 'MEDIA_UPLOAD') return { ...tiktokOptions.empty, inbox: true }
  return {
    inbox: false,
    privacy: sent.privacy_level,
    comment: !sent.disable_comment,
    duet: !sent.disable_duet,
    stitch: !sent.disable_stitch,
    coverMs: sent.video_cover_timestamp_ms,
    promotional: sent.brand_organic_toggle || sent.brand_content_toggle,
    ownBrand: sent.brand_organic_toggle,
    branded: sent.brand_content_toggle,
    ai: sent.is_aigc,
  }
}
