import { Checkbox, Select } from '@mantine/core'
import { z } from 'zod'
import {
  TIKTOK_DEFAULT_PRIVACY,
  TIKTOK_MUSIC_URL,
  TIKTOK_PRIVACY_LABELS,
  TikTokOptions,
  TikTokPrivacy,
  type TikTokAccountOptions,
} from '#contract/platforms/tiktok.ts'
import { TEXTS } from '#contract/texts.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { OPENS_IN_VIEW } from '#web/lib/dom/opens-in-view.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { messagesOf } from '#web/video/form/field-errors.ts'
import type { OptionsPanel, PanelContext, PanelProps, Validation } from '#web/video/form/panel.ts'
import classes from './panel.module.css'

/** What the user has chosen so far; null: the default applies. */
export type TikTokChoices = z.infer<typeof TikTokChoices>
export const TikTokChoices = z.object({
  privacy: TikTokPrivacy.nullable(),
  comment: z.boolean().nullable(),
  duet: z.boolean().nullable(),
  stitch: z.boolean().nullable(),
  coverMs: z.int().min(0),
})

/** TikTok's options, as far as the account may choose them. */
export const tiktokOptions: OptionsPanel<TikTokChoices, TikTokOptions> = {
  platform: 'tiktok',
  empty: { privacy: null, comment: null, duet: null, stitch: null, coverMs: 0 },
  schema: TikTokChoices,
  needsOptions: true,
  validate,
  Fields,
  summary,
  fromOptions,
  coverMs: ({ coverMs }) => coverMs,
  withCover: (value, coverMs) => ({ ...value, coverMs }),
  Terms,
}

/** The account's options, and whether TikTok's audit forbids preselected choices. */
type Rules = { readonly options: TikTokAccountOptions; readonly auditForm: boolean }

const rulesOf = ({ options, auditForm }: PanelContext): Rules | null =>
  options?.platform === 'tiktok' ? { options, auditForm } : null

/** The allowed choices, with defaults for the rest. */
function resolveChoices(value: TikTokChoices, { options, auditForm }: Rules) {
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
  if (offered.includes(TIKTOK_DEFAULT_PRIVACY)) return TIKTOK_DEFAULT_PRIVACY
  return offered.length === 1 ? (offered[0] ?? null) : null
}

function validate(value: TikTokChoices, context: PanelContext): Validation<TikTokOptions> {
  const rules = rulesOf(context)
  if (rules === null) return { ok: false, errors: {} }
  const choices = resolveChoices(value, rules)
  const parsed = TikTokOptions.safeParse({
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

function summary(value: TikTokChoices, context: PanelContext): string {
  const rules = rulesOf(context)
  if (rules === null) return ''
  const { privacy, comment } = resolveChoices(value, rules)
  return [
    privacy === null ? null : TIKTOK_PRIVACY_LABELS[privacy],
    privacy === null ? null : comment ? 'comments on' : 'comments off',
  ]
    .filter((part) => part !== null)
    .join(', ')
}

function fromOptions(options: unknown): TikTokChoices {
  const parsed = TikTokOptions.safeParse(options)
  if (!parsed.success) return tiktokOptions.empty
  const { privacy_level, disable_comment, disable_duet, disable_stitch, video_cover_timestamp_ms } =
    parsed.data
  return {
    privacy: privacy_level,
    comment: !disable_comment,
    duet: !disable_duet,
    stitch: !disable_stitch,
    coverMs: video_cover_timestamp_ms,
  }
}

function Fields({ value, onChange, errors, disabled, context }: PanelProps<TikTokChoices>) {
  const rules = rulesOf(context)
  if (rules === null) return null
  const { options } = rules
  const choices = resolveChoices(value, rules)
  return (
    <>
      {options.notice !== null && (
        <InlineAlert tone="note" live={false}>
          {options.notice}
        </InlineAlert>
      )}
      <Select
        label="Who can see this video"
        placeholder="Choose"
        data={options.privacy_levels.map((level) => ({ value: level, label: TIKTOK_PRIVACY_LABELS[level] }))}
        value={choices.privacy}
        onChange={(privacy) => onChange({ ...value, privacy })}
        // Choosing the same level again must not clear it.
        allowDeselect={false}
        comboboxProps={OPENS_IN_VIEW}
        withAsterisk
        error={errors['privacy_level']}
        disabled={disabled}
      />
      <fieldset className={classes.allow} disabled={disabled}>
        <legend className={classes.legend}>Interactions</legend>
        <div className={classes.boxes}>
          {INTERACTIONS.map(({ what, label }) => (
            <Checkbox
              key={what}
              label={label}
              checked={choices[what]}
              disabled={options[`${what}_disabled`]}
              onChange={(event) => onChange({ ...value, [what]: event.currentTarget.checked })}
            />
          ))}
        </div>
        {INTERACTIONS.some(({ what }) => options[`${what}_disabled`]) && (
          <p className={classes.help}>Turned off in this account's TikTok settings.</p>
        )}
      </fieldset>
    </>
  )
}

const INTERACTIONS = [
  { what: 'comment', label: 'Allow comments' },
  { what: 'duet', label: 'Allow duet' },
  { what: 'stitch', label: 'Allow stitch' },
] as const

/** TikTok requires this text beside the button that publishes. */
function Terms() {
  const [before, linked] = TEXTS.tiktokDeclaration.split(/(?=Music Usage)/)
  return (
    <p className={classes.help}>
      {before}
      <a href={TIKTOK_MUSIC_URL} target="_blank" rel="noreferrer">
        {linked}
      </a>
      .
    </p>
  )
}
