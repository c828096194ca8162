import { Checkbox, Switch } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useId } from 'react'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { labelOf, type ComposerChoices } from './composer-options.tsx'
import classes from '#web/platforms/kit/panel.module.css'

type Props = PanelProps<ComposerChoices> & {
  /** Why the video cannot be branded content; null: it can. */
  readonly unbranded: string | null
}

/** Whether the video promotes something: a switch that is off, then two boxes of which one must be ticked. */
export function Disclosure({ value, onChange, errors, disabled, unbranded }: Props) {
  const { promotional, ownBrand, branded } = value
  const errorId = useId()
  const error = errors['brand_organic_toggle'] ?? null
  const label = labelOf(value)
  const invalid = error !== null && { 'aria-invalid': true, 'aria-describedby': errorId }
  return (
    <div className={`${classes.below} ${classes.disclosure}`}>
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
            <p className={classes.error} id={errorId}>
              {error}
            </p>
          )}
        </fieldset>
      )}
      <output className={classes.label}>
        {label !== null && (
          <InlineAlert tone="note" live={false}>
            <span className={classes.note}>
              <IconInfoCircle {...ICON} />
              Your video will be labeled as '{label}'.
            </span>
          </InlineAlert>
        )}
      </output>
    </div>
  )
}
