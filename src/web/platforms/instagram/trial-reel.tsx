import { Radio, Switch } from '@mantine/core'
import classes from '#web/platforms/kit/panel.module.css'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { Graduation, type InstagramChoices } from './composer-options.ts'

/** Whether only people who don't follow the account see the reel at first, and how its followers come to see it. */
export function TrialReel({ value, onChange, disabled }: PanelProps<InstagramChoices>) {
  return (
    <>
      <Switch
        label="Trial reel"
        // Else the description would be part of the name.
        aria-label="Trial reel"
        description="Shown only to people who don't follow the account, until it is shared with followers."
        checked={value.trial !== null}
        onChange={(event) => onChange({ ...value, trial: event.currentTarget.checked ? 'MANUAL' : null })}
        disabled={disabled}
      />
      {value.trial !== null && (
        <Radio.Group
          label="Share it with followers"
          value={value.trial}
          onChange={(trial) => onChange({ ...value, trial: Graduation.parse(trial) })}
        >
          <div className={classes.columns}>
            {GRADUATIONS.map(({ graduation, label, when }) => (
              <Radio
                key={graduation}
                value={graduation}
                label={label}
                description={when}
                disabled={disabled}
              />
            ))}
          </div>
        </Radio.Group>
      )}
    </>
  )
}

const GRADUATIONS = [
  { graduation: 'MANUAL', label: 'When I decide', when: 'You share it in the Instagram app.' },
  {
    graduation: 'SS_PERFORMANCE',
    label: 'By itself',
    when: 'Instagram shares it if it does well within 72 hours.',
  },
] as const
