import { Checkbox, Group, Stack, Switch, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useId } from 'react'
import { accountName, hasPermission } from '#contract/accounts.ts'
import { INBOX_OPTIONS } from '#contract/platforms/index.ts'
import {
  TIKTOK_BRANDED_PRIVACY,
  TIKTOK_PRIVACY_LEVELS,
  type TikTokPrivacy,
} from '#contract/platforms/tiktok.ts'
import { LinkAgainToAllow } from '#web/platforms/kit/link-again.tsx'
import classes from '#web/platforms/kit/kit.module.css'
import type { FieldErrors, PanelProps } from '#web/platforms/kit/panel.ts'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { ChoiceFields } from './choice-fields.tsx'
import { type ComposerChoices, isBranded, labelOf } from './composer-options.tsx'
import { resolveChoices, rulesOf } from './choices.ts'

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
    return `${NOT_FOLLOWERS} This account offers neither at the moment.`
  return privacy === null ? null : (EXCLUDED_BY_BRANDED[privacy] ?? null)
}

type DisclosureProps = PanelProps<ComposerChoices> & {
  /** Why the video cannot be branded content; null: it can. */
  readonly unbranded: string | null
}

/** A switch that is off says if the video promotes something; then one of two boxes must be ticked. */
function Disclosure({ value, onChange, errors, disabled, unbranded }: DisclosureProps) {
  const { promotional, ownBrand, branded } = value
  const errorId = useId()
  const error = errors['brand_organic_toggle'] ?? null
  const label = labelOf(value)
  const invalid = error !== null && { 'aria-invalid': true, 'aria-describedby': errorId }
  return (
    <Stack gap="sm" pt="0.875rem" className={`${classes.below} ${classes.disclosure}`}>
      <Switch
        label="Disclose promotional content"
        // Else the description would be part of the name.
        aria-label="Disclose promotional content"
        description="Turn on if this video promotes you or someone else."
        checked={promotional}
        disabled={disabled}
        // TikTok wants both boxes unticked whenever the switch is turned on.
        onChange={({ currentTarget: { checked } }) =>
          onChange({ ...value, promotional: checked, ownBrand: false, branded: false })
        }
      />
      {promotional && (
        <fieldset className={classes.columns} aria-label="What it promotes">
          <Checkbox
            label="Your brand"
            description="You promote yourself or your own business."
            checked={ownBrand}
            disabled={disabled}
            onChange={(event) => onChange({ ...value, ownBrand: event.currentTarget.checked })}
            {...invalid}
          />
          <Checkbox
            label="Branded content"
            description={unbranded ?? 'Someone else paid for this. Cannot be private.'}
            checked={branded}
            // Ticked, it can always be unticked.
            disabled={disabled || (unbranded !== null && !branded)}
            onChange={(event) => onChange({ ...value, branded: event.currentTarget.checked })}
            {...invalid}
          />
          {error !== null && (
            <Text size="xs" c="var(--r-failed)" className={classes.below ?? ''} id={errorId}>
              {error}
            </Text>
          )}
        </fieldset>
      )}
      <output className={classes.tikTokLabel}>
        {label !== null && (
          <InlineAlert tone="note" live={false}>
            <Group component="span" gap="xs" wrap="nowrap">
              <IconInfoCircle {...ICON} />
              Your video will be labeled as '{label}'.
            </Group>
          </InlineAlert>
        )}
      </output>
    </Stack>
  )
}

/** The creator finishes the post in the inbox. */
function InboxDraft({ value, onChange, errors, disabled, context }: PanelProps<ComposerChoices>) {
  const { account } = context
  const isWithheld = account !== null && hasPermission(account, 'inbox_draft') === false
  return (
    <div className={classes.below}>
      <Switch
        label="Send as a draft"
        // Else the description would be part of the name.
        aria-label="Send as a draft"
        description={`Goes to the TikTok inbox. ${value.inbox ? IN_THE_APP : WHAT_IS_LEFT}`}
        checked={value.inbox}
        error={errors['post_mode']}
        disabled={disabled}
        onChange={(event) => onChange({ ...value, inbox: event.currentTarget.checked })}
      />
      {value.inbox && isWithheld && (
        <Text c="dimmed" size="xs" mt="0.25rem">
          {accountName(account)} hasn't allowed drafts.{' '}
          <LinkAgainToAllow account={account} permission="inbox_draft" what="drafts" disabled={disabled} />
        </Text>
      )}
    </div>
  )
}

const WHAT_IS_LEFT = 'You write the caption and post it in the TikTok app.'
const IN_THE_APP = `You choose the caption, audience, cover and everything else in the TikTok app. Open its notification within about ${INBOX_OPTIONS.tiktok.keptHours} hours.`
