import { Checkbox, Group, Select, Stack, Text } from '@mantine/core'
import {
  TIKTOK_PRIVACY_LABELS,
  TikTokPrivacy,
  type TikTokAccountOptions,
} from '#contract/platforms/tiktok.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { OPENS_IN_VIEW } from '#web/lib/opens-in-view.ts'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { resolveChoices, rulesOf, type TikTokChoices } from './choices.ts'
import classes from '#web/platforms/kit/kit.module.css'

type FieldsProps<Value> = PanelProps<Value> & {
  /** Levels that another choice excludes, each with the reason. */
  readonly excluded?: Partial<Record<TikTokPrivacy, string>>
}

/** Renders nothing before the account's options are known. */
export function ChoiceFields<Value extends TikTokChoices>(props: FieldsProps<Value>) {
  const { value, onChange, errors, disabled, context, excluded = {} } = props
  const rules = rulesOf(context)
  if (rules === null) return null
  const { options } = rules
  const choices = resolveChoices(value, rules)
  return (
    <>
      {options.notice !== null && (
        <div className={classes.below}>
          <InlineAlert tone="note" live={false}>
            {options.notice}
          </InlineAlert>
        </div>
      )}
      <Select
        label="Who can see this video"
        placeholder="Choose"
        data={options.privacy_levels.map((level) => ({
          value: level,
          label: TIKTOK_PRIVACY_LABELS[level],
          disabled: level in excluded,
        }))}
        renderOption={({ option }) => (
          <Level label={option.label} excludedBy={excluded[TikTokPrivacy.parse(option.value)]} />
        )}
        value={choices.privacy}
        onChange={(privacy) => onChange({ ...value, privacy })}
        // Choosing the same level again must not clear it.
        allowDeselect={false}
        comboboxProps={OPENS_IN_VIEW}
        withAsterisk
        aria-required
        error={errors['privacy_level']}
        disabled={disabled}
      />
      <fieldset disabled={disabled}>
        <legend className={classes.legend}>Allow</legend>
        <Group align="stretch" gap="0.625rem 1.5rem">
          {INTERACTIONS.map(({ what, name }) => (
            <Checkbox
              key={what}
              label={name}
              aria-label={`Allow ${name.toLowerCase()}`}
              checked={choices[what]}
              disabled={options[`${what}_disabled`]}
              onChange={(event) => onChange({ ...value, [what]: event.currentTarget.checked })}
            />
          ))}
        </Group>
        <TurnedOff options={options} />
      </fieldset>
    </>
  )
}

/** A level in the list, with the reason where it cannot be chosen. */
const Level = ({ label, excludedBy }: { label: string; excludedBy: string | undefined }) => (
  <Stack component="span" gap={0}>
    {label}
    {excludedBy !== undefined && (
      <Text component="small" size="xs">
        {excludedBy}
      </Text>
    )}
  </Stack>
)

const INTERACTIONS = [
  { what: 'comment', name: 'Comments' },
  { what: 'duet', name: 'Duet' },
  { what: 'stitch', name: 'Stitch' },
] as const

/** Why a box is greyed: "Duet and stitch are off in this TikTok account." */
function TurnedOff({ options }: { options: TikTokAccountOptions }) {
  const [first, ...others] = INTERACTIONS.filter(({ what }) => options[`${what}_disabled`])
  if (first === undefined) return null
  const names = [first.name, ...others.map(({ name }) => name.toLowerCase())]
  const isOne = others.length === 0 && first.what !== 'comment'
  return (
    <Text c="dimmed" size="xs" mt="0.25rem">
      {new Intl.ListFormat('en-GB').format(names)} {isOne ? 'is' : 'are'} off in this TikTok account.
    </Text>
  )
}
