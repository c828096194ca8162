import { Checkbox, NumberInput, Select } from '@mantine/core'
import { z } from 'zod'
import {
  TIKTOK_COVER_MAX_MS,
  TIKTOK_DEFAULT_PRIVACY,
  TIKTOK_MUSIC_URL,
  TIKTOK_PRIVACY_LABELS,
  TIKTOK_TITLE_MAX_CHARS,
  TikTokPostInfo,
  TikTokPrivacy,
  type TikTokAccountOptions,
} from '#contract/platforms/tiktok.ts'
import { TEXTS } from '#contract/texts.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkText } from '#domain/video-check/post-check.ts'
import { CountedText } from '#web/components/display/counted-text.tsx'
import { OPENS_IN_VIEW } from '#web/lib/dom/opens-in-view.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { messagesOf } from '#web/video/form/field-errors.ts'
import type { Validation, Panel, PanelContext, PanelProps } from '#web/video/form/panel.ts'
import classes from './panel.module.css'

/** What the user has chosen so far; null: the default applies. */
export type TikTokValue = z.infer<typeof TikTokValue>
const TikTokValue = z.object({
  title: z.string(),
  privacy: TikTokPrivacy.nullable(),
  comment: z.boolean().nullable(),
  duet: z.boolean().nullable(),
  stitch: z.boolean().nullable(),
  coverMs: z.int().min(0),
})

/** TikTok's options besides the video, as far as the account may choose them. */
export const tiktokPanel: Panel<TikTokValue, TikTokPostInfo> = {
  platform: 'tiktok',
  empty: { title: '', privacy: null, comment: null, duet: null, stitch: null, coverMs: 0 },
  schema: TikTokValue,
  needsOptions: true,
  validate,
  Fields,
  textField: 'title',
  coverMs: ({ coverMs }) => coverMs,
  Terms,
}

/** The account's options, and whether TikTok's audit forbids preselected choices. */
type Rules = { readonly options: TikTokAccountOptions; readonly auditForm: boolean }

const rulesOf = ({ options, auditForm }: PanelContext): Rules | null =>
  options?.platform === 'tiktok' ? { options, auditForm } : null

/** The allowed choices, with defaults for the rest. */
function resolveChoices(value: TikTokValue, { options, auditForm }: Rules) {
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

function validate(value: TikTokValue, context: PanelContext): Validation<TikTokPostInfo> {
  const rules = rulesOf(context)
  if (rules === null) {
    // The title can be validated before the account's options are known.
    const title = TikTokPostInfo.pick({ title: true }).safeParse(value)
    return { ok: false, errors: title.success ? {} : messagesOf(title.error) }
  }
  const choices = resolveChoices(value, rules)
  const parsed = TikTokPostInfo.safeParse({
    title: value.title,
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

function Fields({ value, onChange, errors, disabled, context }: PanelProps<TikTokValue>) {
  const rules = rulesOf(context)
  return (
    <>
      <CountedText
        label="Title"
        value={value.title}
        onChange={(title) => onChange({ ...value, title })}
        max={TIKTOK_TITLE_MAX_CHARS}
        help="Hashtags and mentions go here too."
        error={checkText(value.title, 'tiktok')[0] ?? errors['title'] ?? null}
        required
        disabled={disabled}
      />
      {rules !== null && (
        <Choices value={value} onChange={onChange} errors={errors} disabled={disabled} rules={rules} />
      )}
    </>
  )
}

type ChoicesProps = Omit<PanelProps<TikTokValue>, 'context'> & { rules: Rules }

function Choices({ value, onChange, errors, disabled, rules }: ChoicesProps) {
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
      <NumberInput
        label="Cover timestamp"
        description="The frame that becomes the cover, in milliseconds from the start."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={value.coverMs}
        onChange={(coverMs) => onChange({ ...value, coverMs: Number(coverMs) || 0 })}
        min={0}
        max={TIKTOK_COVER_MAX_MS}
        step={500}
        suffix=" ms"
        allowDecimal={false}
        allowNegative={false}
        error={errors['video_cover_timestamp_ms']}
        disabled={disabled}
      />
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
