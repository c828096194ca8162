import { Switch } from '@mantine/core'
import {
  TIKTOK_BRANDED_PRIVACY,
  TIKTOK_PRIVACY_LEVELS,
  type TikTokPrivacy,
} from '#contract/platforms/tiktok.ts'
import type { FieldErrors, PanelProps } from '#web/platforms/kit/panel.ts'
import { ChoiceFields } from './choice-fields.tsx'
import { isBranded, type ComposerChoices } from './composer-options.tsx'
import { Disclosure } from './disclosure.tsx'
import { InboxDraft } from './inbox-draft.tsx'
import { resolveChoices, rulesOf } from './options.ts'
import classes from '#web/platforms/kit/panel.module.css'

/** TikTok's options in the composer. */
export function TikTokFields(props: PanelProps<ComposerChoices>) {
  if (rulesOf(props.context) === null) return null
  return (
    <>
      {/* None of them goes with a draft. */}
      {!props.value.inbox && <PostFields {...props} />}
      <InboxDraft {...props} />
    </>
  )
}

function PostFields(props: PanelProps<ComposerChoices>) {
  const { value, onChange, errors, disabled, context } = props
  const rules = rulesOf(context)
  if (rules === null) return null
  const { privacy } = resolveChoices(value, rules)
  const { privacy_levels: offered } = rules.options
  return (
    <>
      <div className={classes.columns}>
        <ChoiceFields
          {...props}
          errors={privacy === null && rules.auditForm ? withReason(errors) : errors}
          excluded={isBranded(value) ? EXCLUDED_BY_BRANDED : {}}
        />
      </div>
      <Disclosure {...props} unbranded={whyUnbranded(privacy, offered)} />
      <Switch
        className={classes.below ?? ''}
        label="AI-generated content"
        // Else the description would be part of the name.
        aria-label="AI-generated content"
        description="TikTok labels the video as AI-generated."
        checked={value.ai}
        disabled={disabled}
        onChange={(event) => onChange({ ...value, ai: event.currentTarget.checked })}
      />
    </>
  )
}

/** Says why nothing is preselected, where the audit demands it. */
const withReason = (errors: FieldErrors): FieldErrors =>
  errors['privacy_level'] == null
    ? errors
    : { ...errors, privacy_level: 'TikTok wants you to choose this for every post.' }

/** The first sentence is TikTok's own (Content Sharing Guidelines, 2026-09-11). */
const NOT_PRIVATE = 'Branded content visibility cannot be set to private.'
const NOT_FOLLOWERS = 'Branded content can only be public or for friends.'

// Neither choice is ever rewritten: who sees a video and whether it is branded content exclude each other.
const EXCLUDED_BY_BRANDED: Partial<Record<TikTokPrivacy, string>> = Object.fromEntries(
  TIKTOK_PRIVACY_LEVELS.filter((level) => !TIKTOK_BRANDED_PRIVACY.includes(level)).map((level) => [
    level,
    level === 'SELF_ONLY' ? NOT_PRIVATE : NOT_FOLLOWERS,
  ]),
)

/** Why the video cannot be branded content; null: it can. */
function whyUnbranded(privacy: TikTokPrivacy | null, offered: readonly TikTokPrivacy[]): string | null {
  if (!offered.some((level) => TIKTOK_BRANDED_PRIVACY.includes(level)))
    return `${NOT_FOLLOWERS} This account can post neither now.`
  return privacy === null ? null : (EXCLUDED_BY_BRANDED[privacy] ?? null)
}
