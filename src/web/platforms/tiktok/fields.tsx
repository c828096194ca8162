import { Checkbox, NumberInput, Select } from '@mantine/core'
import {
  TIKTOK_COVER_MAX_MS,
  TIKTOK_DEFAULT_PRIVACY,
  TIKTOK_MUSIC_URL,
  TIKTOK_PRIVACY_LABELS,
  TIKTOK_TITLE_MAX_CHARS,
  TikTokPostInfo,
  type TikTokAccountOptions,
  type TikTokPrivacy,
} from '#contract/platforms/tiktok.ts'
import { TEXTS } from '#contract/texts.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import { Trouble } from '#web/ui/trouble.tsx'
import classes from './fields.module.css'

/** What the user has chosen so far; null: nothing yet, so the default holds. */
export type TikTokDraft = {
  readonly title: string
  readonly privacy: TikTokPrivacy | null
  readonly comment: boolean | null
  readonly duet: boolean | null
  readonly stitch: boolean | null
  readonly coverMs: number
}
export const EMPTY_TIKTOK_DRAFT: TikTokDraft = {
  title: '',
  privacy: null,
  comment: null,
  duet: null,
  stitch: null,
  coverMs: 0,
}

/** What this account may choose, and whether anything may be chosen for the user (an audit demands that nothing is). */
export type TikTokRules = { readonly options: TikTokAccountOptions; readonly auditForm: boolean }

/** Messages by field of the form; null: nothing is wrong there. */
export type FieldErrors = Readonly<Record<string, string | null>>

/** What holds now: the choices that the account allows, and the defaults for the rest. */
function settle(draft: TikTokDraft, { options, auditForm }: TikTokRules) {
  const allowed = (chosen: boolean | null, isOff: boolean) => !isOff && (chosen ?? !auditForm)
  return {
    privacy: privacyOf(draft.privacy, options.privacy_levels, auditForm),
    comment: allowed(draft.comment, options.comment_disabled),
    duet: allowed(draft.duet, options.duet_disabled),
    stitch: allowed(draft.stitch, options.stitch_disabled),
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

type PostInfo =
  | { readonly ok: true; readonly value: TikTokPostInfo }
  | { readonly ok: false; readonly errors: FieldErrors }

/** The `post_info` that a draft makes, or what it still lacks. */
export function tiktokPostInfo(draft: TikTokDraft, rules: TikTokRules): PostInfo {
  const now = settle(draft, rules)
  const parsed = TikTokPostInfo.safeParse({
    title: draft.title,
    privacy_level: now.privacy ?? undefined,
    disable_comment: !now.comment,
    disable_duet: !now.duet,
    disable_stitch: !now.stitch,
    video_cover_timestamp_ms: draft.coverMs,
  })
  const errors = Object.fromEntries(
    (parsed.error?.issues ?? []).map((issue) => [String(issue.path[0]), issue.message]),
  )
  // The API has a default; the form must not choose who sees a video.
  const privacy = now.privacy === null ? { privacy_level: 'Choose who can see this video.' } : {}
  const all = { ...errors, ...privacy }
  return parsed.success && Object.keys(all).length === 0
    ? { ok: true, value: parsed.data }
    : { ok: false, errors: all }
}

type TextProps = {
  draft: TikTokDraft
  onChange: (draft: TikTokDraft) => void
  errors: FieldErrors
  disabled: boolean
}

export function titleError({ title }: TikTokDraft): string | null {
  const parsed = TikTokPostInfo.shape.title.safeParse(title)
  return parsed.error?.issues[0]?.message ?? null
}

export function TikTokTitle({ draft, onChange, errors, disabled }: TextProps) {
  return (
    <CountedText
      label="Title"
      value={draft.title}
      onChange={(title) => onChange({ ...draft, title })}
      max={TIKTOK_TITLE_MAX_CHARS}
      help="Hashtags and mentions go here too."
      error={errors['title'] ?? null}
      required
      disabled={disabled}
    />
  )
}

/** What TikTok asks for beside the video and its title; only what this account may choose. */
export function TikTokFields({
  draft,
  onChange,
  errors,
  disabled,
  rules,
}: TextProps & { rules: TikTokRules }) {
  const { options } = rules
  const now = settle(draft, rules)
  return (
    <>
      {options.notice !== null && (
        <Trouble tone="note" live={false}>
          {options.notice}
        </Trouble>
      )}
      <Select
        label="Who can see this video"
        placeholder="Choose"
        data={options.privacy_levels.map((level) => ({ value: level, label: TIKTOK_PRIVACY_LABELS[level] }))}
        value={now.privacy}
        onChange={(privacy) => onChange({ ...draft, privacy })}
        error={errors['privacy_level']}
        disabled={disabled}
      />
      <fieldset className={classes.allow} disabled={disabled}>
        <legend className={classes.legend}>Others may</legend>
        <div className={classes.boxes}>
          <Checkbox
            label="Allow comments"
            checked={now.comment}
            disabled={options.comment_disabled}
            onChange={(event) => onChange({ ...draft, comment: event.currentTarget.checked })}
          />
          <Checkbox
            label="Allow duet"
            checked={now.duet}
            disabled={options.duet_disabled}
            onChange={(event) => onChange({ ...draft, duet: event.currentTarget.checked })}
          />
          <Checkbox
            label="Allow stitch"
            checked={now.stitch}
            disabled={options.stitch_disabled}
            onChange={(event) => onChange({ ...draft, stitch: event.currentTarget.checked })}
          />
        </div>
        {(options.comment_disabled || options.duet_disabled || options.stitch_disabled) && (
          <p className={classes.help}>What is greyed is switched off in the TikTok account.</p>
        )}
      </fieldset>
      <NumberInput
        label="Cover timestamp"
        description="The frame that becomes the cover, in milliseconds from the start."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft.coverMs}
        onChange={(value) => onChange({ ...draft, coverMs: Number(value) || 0 })}
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

/** TikTok demands these words beside the button that posts. */
export function TikTokDeclaration() {
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
